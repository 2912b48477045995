// Four threads record argv[1] scopes each, then flush, all at once. Prints what the flushes returned and the ms of the
// longest; then waits for a line on stdin.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static long each;
static pthread_barrier_t all;
static struct {
  int result;
  long long ms;
} flush[4];

static long long now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void* thread(void* number) {
  const long n = (long)number;
  for (long i = 0; i < each; i++) tl_scope_begin(id), tl_scope_end(id);
  pthread_barrier_wait(&all);
  const long long before = now_ms();
  flush[n].result = tl_flush();
  flush[n].ms = now_ms() - before;
  pthread_barrier_wait(&all);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t threads[4];
  long long longest = 0;
  each = argc > 1 ? atol(argv[1]) : 0;
  id = tl_scope_register("work");
  pthread_barrier_init(&all, NULL, 5);
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, thread, (void*)i);
  pthread_barrier_wait(&all), pthread_barrier_wait(&all);
  for (int i = 0; i < 4; i++) printf("%d ", flush[i].result), longest = flush[i].ms > longest ? flush[i].ms : longest;
  printf("%lld\n", longest), fflush(stdout), getchar();
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  return 0;
}
