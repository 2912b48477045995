// The library's start. With -z initfirst this constructor runs before any other code of the program, libc's own
// initialisation included, so the environment comes from the loader and not from getenv.

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "drain/lifecycle.h"
#include "real.h"

extern "C" __attribute__((visibility("hidden"))) void* tl_own_malloc(size_t bytes);

namespace {

// malloc as the process has it, if it leads to ours: that itself or, where an executable that is not
// position-independent takes its address, the entry of that executable's PLT. Else null: an allocator of the program's
// own comes first.
const void* malloc_that_is_ours() {
  const void* const found = reinterpret_cast<const void*>(&malloc);
  if (found == reinterpret_cast<const void*>(&tl_own_malloc)) return found;
  Dl_info module;
  void* symbol = nullptr;
  if (dladdr1(found, &module, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return nullptr;
  return static_cast<const ElfW(Sym)*>(symbol)->st_shndx == SHN_UNDEF ? found : nullptr;
}

__attribute__((constructor)) void start_library(int argc, char** argv, char** environment) {
  tl::preload::resolve();
  tl::preload::begin_to_count();
  tl::drain::start(argc, argv, environment, malloc_that_is_ours());
}

}  // namespace
