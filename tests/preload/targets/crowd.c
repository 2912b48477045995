// crowd N: N threads with one scope and one allocation each, which wait for one another before they end.
#include <pthread.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static pthread_barrier_t all;

static void* take_part(void* unused) {
  tl_scope_begin(id);
  void* volatile block = malloc(64);
  free(block);
  tl_scope_end(id);
  pthread_barrier_wait(&all);
  return unused;
}

int main(int argc, char** argv) {
  const unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
  pthread_t* threads = calloc(count, sizeof *threads);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  id = tl_scope_register("work");
  pthread_barrier_init(&all, NULL, count);
  for (unsigned i = 0; i < count; ++i)
    if (pthread_create(&threads[i], &small, take_part, NULL) != 0) return 3;
  for (unsigned i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return 0;
}
