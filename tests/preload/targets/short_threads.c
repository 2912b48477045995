// short_threads N [ALIVE]: N threads, ALIVE at a time (64), each with one scope and three allocations.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;

static void* live_shortly(void* unused) {
  tl_scope_begin(id);
  for (int i = 0; i < 3; ++i) {
    void* volatile block = malloc(64);
    free(block);
  }
  tl_scope_end(id);
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 100, alive = argc > 2 ? atoi(argv[2]) : 64;
  pthread_t* threads = calloc((size_t)alive, sizeof *threads);
  id = tl_scope_register("work");
  for (int i = 0; i < count + alive; ++i) {
    if (i >= alive) pthread_join(threads[i % alive], NULL);
    if (i < count && pthread_create(&threads[i % alive], NULL, live_shortly, NULL) != 0) return 3;
  }
  free(threads);
  return 0;
}
