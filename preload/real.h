// The functions behind the hooks: the next ones after ours in the search order, so that an allocator which the program
// brings as a library is respected.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

namespace tl::preload {

struct Real {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void* (*reallocarray)(void*, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  void (*free)(void*);
  size_t (*malloc_usable_size)(void*);
  int (*pthread_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*pthread_setname_np)(pthread_t, const char*);
  pid_t (*_Fork)(void);
  int (*clone)(int (*)(void*), void*, int, void*, ...);
  int (*execve)(const char*, char* const*, char* const*);
  int (*execvpe)(const char*, char* const*, char* const*);
  int (*execveat)(int, const char*, char* const*, char* const*, int);
  int (*fexecve)(int, char* const*, char* const*);
};

// Starts out with functions that resolve() first; there is no "is it resolved?" on the way of a call.
TL_OURS extern Real real;

// Whether malloc, calloc, realloc and free are libc's own.
bool allocator_is_libc();

// Once they are looked up: how the malloc family is counted.
void begin_to_count();

// Looks all of them up. Preserves errno. Calls of the loader into our hooks meanwhile are served by the boot arena.
void resolve();

}  // namespace tl::preload
