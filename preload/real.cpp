#include "real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include <atomic>

#include "boot_arena.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/syscall.h"

namespace tl::preload {

namespace {

// The thread that is looking the functions up; 0: none. Its own calls come from the boot arena.
constinit std::atomic<uint32_t> resolver{0};
constinit std::atomic<uint32_t> resolved{0};

bool is_resolver() { return resolver.load(std::memory_order_relaxed) == os::thread_id(); }

void* boot_or_fail(size_t bytes, size_t alignment) {
  void* block = boot_allocate(bytes, alignment);
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* boot_malloc(size_t bytes) {
  if (is_resolver()) return boot_or_fail(bytes, 16);
  resolve();
  return real.malloc(bytes);
}
void* boot_calloc(size_t count, size_t bytes) {
  if (is_resolver()) {
    size_t product;
    if (__builtin_mul_overflow(count, bytes, &product)) product = kBootBytes + 1;
    return boot_or_fail(product, 16);
  }
  resolve();
  return real.calloc(count, bytes);
}
void* boot_realloc(void* block, size_t bytes) {
  if (is_resolver()) {
    void* grown = boot_or_fail(bytes, 16);
    if (grown != nullptr && block != nullptr) memcpy(grown, block, boot_size(block) < bytes ? boot_size(block) : bytes);
    return grown;
  }
  resolve();
  return real.realloc(block, bytes);
}
void* boot_reallocarray(void* block, size_t count, size_t bytes) {
  resolve();
  return real.reallocarray(block, count, bytes);
}
void* boot_aligned_alloc(size_t alignment, size_t bytes) {
  if (is_resolver()) return boot_or_fail(bytes, alignment);
  resolve();
  return real.aligned_alloc(alignment, bytes);
}
int boot_posix_memalign(void** block, size_t alignment, size_t bytes) {
  resolve();
  return real.posix_memalign(block, alignment, bytes);
}
void* boot_memalign(size_t alignment, size_t bytes) {
  if (is_resolver()) return boot_or_fail(bytes, alignment);
  resolve();
  return real.memalign(alignment, bytes);
}
void* boot_valloc(size_t bytes) {
  resolve();
  return real.valloc(bytes);
}
void* boot_pvalloc(size_t bytes) {
  resolve();
  return real.pvalloc(bytes);
}
void boot_free(void* block) {
  if (is_resolver()) return;  // of the boot arena in any case
  resolve();
  real.free(block);
}
size_t boot_malloc_usable_size(void* block) {
  resolve();
  return real.malloc_usable_size(block);
}
int boot_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  resolve();
  return real.pthread_create(thread, attributes, routine, argument);
}
int boot_pthread_setname_np(pthread_t thread, const char* name) {
  resolve();
  return real.pthread_setname_np(thread, name);
}
pid_t boot__Fork() {
  resolve();
  return real._Fork();
}
int boot_clone(int (*body)(void*), void* stack, int flags, void* argument, ...) {
  va_list list;
  va_start(list, argument);
  void *const parent_tid = va_arg(list, void*), *const tls = va_arg(list, void*),
              *const child_tid = va_arg(list, void*);
  va_end(list);
  resolve();
  return real.clone(body, stack, flags, argument, parent_tid, tls, child_tid);
}
int boot_execve(const char* path, char* const* arguments, char* const* environment) {
  resolve();
  return real.execve(path, arguments, environment);
}
int boot_execvpe(const char* file, char* const* arguments, char* const* environment) {
  resolve();
  return real.execvpe(file, arguments, environment);
}
int boot_execveat(int directory, const char* path, char* const* arguments, char* const* environment, int flags) {
  resolve();
  return real.execveat(directory, path, arguments, environment, flags);
}
int boot_fexecve(int fd, char* const* arguments, char* const* environment) {
  resolve();
  return real.fexecve(fd, arguments, environment);
}

template <class Function>
void look_up(Function*& place, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  // A library of the program's that is linked with this one brings it behind libc: then libc's come first for all, and
  // no call reaches a hook.
  if (found == nullptr) found = dlsym(RTLD_DEFAULT, name);
  if (found != nullptr) {
    __atomic_store_n(&place, reinterpret_cast<Function*>(found), __ATOMIC_RELEASE);
    return;
  }
  // A libc without malloc or its kin cannot happen with the platforms named; without an answer there is no way on.
  os::say("libtelemetry: no ");
  os::say(name);
  os::say(" behind the library\n");
  os::call(SYS_exit_group, 127);
}

}  // namespace

bool allocator_is_libc() {
  const auto is_libcs = [](auto* function, const char* name) {
    return reinterpret_cast<void*>(function) == dlsym(RTLD_NEXT, name);
  };
  return is_libcs(real.malloc, "__libc_malloc") && is_libcs(real.calloc, "__libc_calloc") &&
         is_libcs(real.realloc, "__libc_realloc") && is_libcs(real.free, "__libc_free");
}

constinit Real real = {boot_malloc,
                       boot_calloc,
                       boot_realloc,
                       boot_reallocarray,
                       boot_aligned_alloc,
                       boot_posix_memalign,
                       boot_memalign,
                       boot_valloc,
                       boot_pvalloc,
                       boot_free,
                       boot_malloc_usable_size,
                       boot_pthread_create,
                       boot_pthread_setname_np,
                       boot__Fork,
                       boot_clone,
                       boot_execve,
                       boot_execvpe,
                       boot_execveat,
                       boot_fexecve};

void resolve() {
  uint32_t nobody = 0;
  if (!resolver.compare_exchange_strong(nobody, os::thread_id(), std::memory_order_acq_rel)) {
    while (resolved.load(std::memory_order_acquire) == 0) os::call(SYS_sched_yield);
    return;
  }
  const int saved_errno = errno;
  Real found = real;
  look_up(found.malloc, "malloc");
  look_up(found.calloc, "calloc");
  look_up(found.realloc, "realloc");
  look_up(found.reallocarray, "reallocarray");
  look_up(found.aligned_alloc, "aligned_alloc");
  look_up(found.posix_memalign, "posix_memalign");
  look_up(found.memalign, "memalign");
  look_up(found.valloc, "valloc");
  look_up(found.pvalloc, "pvalloc");
  look_up(found.free, "free");
  look_up(found.malloc_usable_size, "malloc_usable_size");
  look_up(found.pthread_create, "pthread_create");
  look_up(found.pthread_setname_np, "pthread_setname_np");
  look_up(found._Fork, "_Fork");
  look_up(found.clone, "clone");
  look_up(found.execve, "execve");
  look_up(found.execvpe, "execvpe");
  look_up(found.execveat, "execveat");
  look_up(found.fexecve, "fexecve");
  real = found;
  errno = saved_errno;
  resolved.store(1, std::memory_order_release);
}

}  // namespace tl::preload
