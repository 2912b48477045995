// Threads under hard conditions; each WAY prints how many scopes "work" were finished: thread_fates WAY N.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static long finished;
static pthread_barrier_t all_here;
static pthread_key_t key;

static void finish_one(void) {
  tl_scope_begin(id);
  free(malloc(10));
  tl_scope_end(id);
  __atomic_fetch_add(&finished, 1, __ATOMIC_RELAXED);
}

static void on_signal(int number) {
  (void)number;
  finish_one();
}

static void* wait_for_all(void* unused) {
  finish_one();
  pthread_barrier_wait(&all_here);
  pthread_barrier_wait(&all_here);
  return unused;
}

static void* record_until_cancelled(void* unused) {
  while (unused == NULL) {
    finish_one();
    pthread_testcancel();
  }
  return unused;
}

static void* with_a_small_stack(void* unused) {
  finish_one();
  raise(SIGUSR1);
  return unused;
}

static void record_at_the_end(void* rounds) {
  finish_one();
  free(malloc(20));
  if (rounds != (void*)1) pthread_setspecific(key, (void*)((long)rounds - 1));
}

static void* with_destructors(void* unused) {
  pthread_setspecific(key, (void*)4);
  finish_one();
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const char* way = argv[1];
  const int n = atoi(argv[2]);
  id = tl_scope_register("work");
  signal(SIGUSR1, on_signal);
  pthread_key_create(&key, record_at_the_end);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  pthread_t* threads = calloc((size_t)n, sizeof *threads);
  void* (*routine)(void*) = !strcmp(way, "alive")         ? wait_for_all
                            : !strcmp(way, "cancelled")   ? record_until_cancelled
                            : !strcmp(way, "small_stack") ? with_a_small_stack
                                                          : with_destructors;
  pthread_barrier_init(&all_here, NULL, (unsigned)n + 1);
  for (int i = 0; i < n; ++i)
    if (pthread_create(&threads[i], &small, routine, NULL) != 0) return 3;
  if (routine == wait_for_all) {
    pthread_barrier_wait(&all_here);
    usleep(100000);
    pthread_barrier_wait(&all_here);
  }
  if (routine == record_until_cancelled) {
    usleep(20000);
    for (int i = 0; i < n; ++i) pthread_cancel(threads[i]);
  }
  for (int i = 0; i < n; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", finished);
  return 0;
}
