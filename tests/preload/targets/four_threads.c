// Records argv[1] scopes on each of 4 threads.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static long count;

static void* record(void* unused) {
  for (long i = 0; i < count; ++i) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  count = argc > 1 ? atol(argv[1]) : 0;
  id = tl_scope_register("known");
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, record, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  return 0;
}
