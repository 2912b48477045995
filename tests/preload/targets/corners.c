// Case C8: what the allocation calls do with corner values, printed; twice, so that the first call of each kind counts
// too.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static volatile size_t huge = SIZE_MAX;

static void say(const char* what, const void* block) {
  printf("%s: %s, errno %d\n", what, block == NULL ? "null" : "block", errno);
  errno = 0;
}

static void corners(void) {
  static char anchor;
  void* untouched = &anchor;
  errno = 0;
  printf("usable of null: %zu\n", malloc_usable_size(NULL));
  free(NULL);
  void* empty = malloc(0);
  say("malloc(0)", empty);
  void* gone = realloc(empty, 0);
  say("realloc(p, 0)", gone);
  void* fresh = realloc(NULL, 0);
  say("realloc(NULL, 0)", fresh);
  free(fresh);
  say("calloc overflow", calloc(huge / 2, 3));
  say("reallocarray overflow", reallocarray(NULL, huge / 2, 3));
  say("malloc huge", malloc(huge));
  void* kept = malloc(100);
  say("realloc huge", realloc(kept, huge));
  free(kept);
  const int result = posix_memalign(&untouched, 3, 64);
  printf("posix_memalign(3): %d, %s, errno %d\n", result, untouched == &anchor ? "untouched" : "touched", errno);
  void* odd = aligned_alloc(64, 1);
  say("aligned_alloc(64, 1)", odd);
  printf("aligned: %d, usable %zu\n", (uintptr_t)odd % 64 == 0, malloc_usable_size(odd));
  free(odd);
}

int main(void) {
  corners();
  corners();
  return 0;
}
