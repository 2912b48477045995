// The library's start. With -z initfirst this constructor runs before any other code of the program, libc's own
// initialisation included, so the environment comes from the loader and not from getenv.

#include <stdlib.h>

#include "drain/lifecycle.h"
#include "real.h"

namespace {

__attribute__((constructor)) void start_library(int argc, char** argv, char** environment) {
  tl::preload::resolve();
  tl::drain::start(argc, argv, environment, reinterpret_cast<const void*>(&malloc));
}

}  // namespace
