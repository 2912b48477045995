// Case C9: errno and the floating-point environment outlive every call of ours; what changed is printed.
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static int changed;
static tl_scope_id id;

#define KEEPS(what, call)                                                \
  do {                                                                   \
    errno = 1234;                                                        \
    call;                                                                \
    if (errno != 1234) changed |= printf("%s: errno %d\n", what, errno); \
  } while (0)

static void on_signal(int number) {
  tl_scope_begin(id);
  tl_scope_end(id);
  (void)number;
}

static void* thread(void* rounds) {
  void* block = NULL;
  fesetround(FE_UPWARD);
  for (long i = 0; i < (long)rounds; ++i) {  // enough to fill the smallest ring more than once
    KEEPS("scope begin", tl_scope_begin(id));
    KEEPS("scope end", tl_scope_end(id));
  }
  KEEPS("malloc", block = malloc(100));
  KEEPS("free", free(block));
  KEEPS("posix_memalign", if (posix_memalign(&block, 64, 100) != 0) abort());
  KEEPS("free of a large block", (free(block), block = malloc(1 << 22), free(block)));
  KEEPS("signal", raise(SIGUSR1));
  if (fegetround() != FE_UPWARD || fetestexcept(FE_ALL_EXCEPT) != 0) changed |= printf("floating point\n");
  return NULL;
}

int main(void) {
  pthread_t other;
  signal(SIGUSR1, on_signal);
  id = tl_scope_register("state");
  thread((void*)1);
  pthread_create(&other, NULL, thread, (void*)100000);
  pthread_join(other, NULL);
  return changed != 0;
}
