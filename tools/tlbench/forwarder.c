// The bare forwarder: every call of the malloc family jumps to the next one of that name, and nothing else happens. It
// is the least that any library can cost that stands in front of an allocator.
//
// The next ones are looked up at load. What is called before, by dlsym too, goes to libc's own, whose blocks the next
// ones take: nothing is between the forwarder and libc in the processes that it is made for.
#define _GNU_SOURCE  // RTLD_NEXT

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#define SHOWN __attribute__((visibility("default")))

// Of libc for this purpose; in none of its headers.
void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t bytes);
void* __libc_realloc(void* block, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* __libc_valloc(size_t bytes);
void* __libc_pvalloc(size_t bytes);
void __libc_free(void* block);

static void* early_reallocarray(void* block, size_t count, size_t bytes) {
  size_t product;
  if (!__builtin_mul_overflow(count, bytes, &product)) return __libc_realloc(block, product);
  errno = ENOMEM;
  return NULL;
}

static int early_posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (alignment == 0 || alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* const got = __libc_memalign(alignment, bytes);
  if (got == NULL) return ENOMEM;
  *block = got;
  return 0;
}

static struct {
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
} next = {__libc_malloc,        __libc_calloc,   __libc_realloc, early_reallocarray, __libc_memalign,
          early_posix_memalign, __libc_memalign, __libc_valloc,  __libc_pvalloc,     __libc_free};

SHOWN void* malloc(size_t bytes) { return next.malloc(bytes); }
SHOWN void* calloc(size_t count, size_t bytes) { return next.calloc(count, bytes); }
SHOWN void* realloc(void* block, size_t bytes) { return next.realloc(block, bytes); }
SHOWN void* reallocarray(void* block, size_t count, size_t bytes) { return next.reallocarray(block, count, bytes); }
SHOWN void* aligned_alloc(size_t alignment, size_t bytes) { return next.aligned_alloc(alignment, bytes); }
SHOWN int posix_memalign(void** block, size_t alignment, size_t bytes) {
  return next.posix_memalign(block, alignment, bytes);
}
SHOWN void* memalign(size_t alignment, size_t bytes) { return next.memalign(alignment, bytes); }
SHOWN void* valloc(size_t bytes) { return next.valloc(bytes); }
SHOWN void* pvalloc(size_t bytes) { return next.pvalloc(bytes); }
SHOWN void free(void* block) { next.free(block); }

SHOWN extern const char tlbench_forwarder;
const char tlbench_forwarder = 1;  // by which a process sees that it is there

// POSIX wants functions to fit into a void*; C does not know how to say so.
static void look_up(void* place, const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found != NULL) *(void**)place = found;
}

__attribute__((constructor)) static void look_all_up(void) {
  look_up(&next.malloc, "malloc");
  look_up(&next.calloc, "calloc");
  look_up(&next.realloc, "realloc");
  look_up(&next.reallocarray, "reallocarray");
  look_up(&next.aligned_alloc, "aligned_alloc");
  look_up(&next.posix_memalign, "posix_memalign");
  look_up(&next.memalign, "memalign");
  look_up(&next.valloc, "valloc");
  look_up(&next.pvalloc, "pvalloc");
  look_up(&next.free, "free");
}
