// Spans with stamps of two threads, equal, reversed, from before the start and in the future, and a scope that is moved
// from CPU to CPU. Prints the wall time around the moved one (ns) and the stamp of the old span's end.
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include <telemetry/telemetry.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void* receive(void* sent) {
  tl_span(tl_scope_register("message"), *(uint64_t*)sent, tl_ticks());
  return NULL;
}

int main(void) {
  const tl_scope_id reversed = tl_scope_register("reversed"), moved = tl_scope_register("moved");
  cpu_set_t allowed, one;
  pthread_t other;
  for (int i = 0; i < 10; i++) {
    uint64_t sent = tl_ticks();
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    pthread_create(&other, NULL, receive, &sent), pthread_join(other, NULL);
  }
  const uint64_t t = tl_ticks();
  for (int i = 0; i < 7; i++) tl_span(tl_scope_register("equal"), t, t);
  tl_span(reversed, t, t - 1), tl_span(reversed, t, 0);
  tl_span(tl_scope_register("old"), 0, t), tl_span(tl_scope_register("future"), t << 1, (t << 1) + 1000);
  sched_getaffinity(0, sizeof allowed, &allowed);
  const long long before = now();
  for (int i = 0, cpu = 0; i < 200; i++, cpu = (cpu + 1) % CPU_SETSIZE) {
    while (!CPU_ISSET(cpu, &allowed)) cpu = (cpu + 1) % CPU_SETSIZE;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (i % 2 == 0) tl_scope_begin(moved);
    sched_setaffinity(0, sizeof one, &one);
    if (i % 2 == 1) tl_scope_end(moved);
  }
  printf("%lld %" PRIu64 "\n", now() - before, t);
  return 0;
}
