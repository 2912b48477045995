// A known number of each allocation call, on main and on three threads one after the other: argv[1] rounds each, thread
// k k times as many.
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

static long rounds;
static void* volatile sink;  // keeps the compiler from leaving a pair of calls out

static void* use(void* block) { return sink = block; }

static void* calls(void* times) {
  for (long i = 0; i < rounds * (long)times; ++i) {
    void* block = use(malloc(10));
    block = use(realloc(block, 1000));
    free(block);
    free(NULL);
    free(use(calloc(3, 100)));
    free(use(reallocarray(NULL, 7, 9)));
    free(use(aligned_alloc(64, 640)));
    if (posix_memalign(&block, 64, 100) == 0) free(use(block));
    free(use(memalign(128, 5)));
    free(use(valloc(100000)));
    free(use(pvalloc(1)));
    free(use(malloc(1 << 20)));
  }
  return NULL;
}

int main(int argc, char** argv) {
  rounds = argc > 1 ? atol(argv[1]) : 0;
  calls((void*)1);
  for (long k = 1; k <= 3; ++k) {
    pthread_t thread;
    pthread_create(&thread, NULL, calls, (void*)k);
    pthread_join(thread, NULL);
  }
  return 0;
}
