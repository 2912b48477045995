// Pauses and goes on, twice; argv[1]: and once more for good. A thread has a scope open across the first pause. Prints
// what tl_recording said each time and how many allocations were counted while paused.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static tl_scope_id pair, x, y, z, theirs, tick, number, carried;
static sem_t open, go_on;

static void record(int times) {
  for (int i = 0; i < times; i++) tl_scope_begin(pair), tl_scope_end(pair), tl_pulse(tick), tl_value(number, 1);
  tl_scope_next(pair), tl_scope_next(0), tl_span(carried, 1, 2), tl_mark("here");
}
static void* thread(void* unused) {
  tl_scope_begin(theirs), sem_post(&open), sem_wait(&go_on), tl_scope_end(theirs);
  tl_scope_begin(theirs), tl_scope_end(theirs);
  return unused;
}
static void pause_and_work(void) {
  tl_allocations before = {.size = sizeof before}, after = before;
  tl_pause(), tl_pause(), printf("%d", tl_recording());
  record(100), tl_scope_begin(z);
  tl_thread_allocations(&before);
  for (int i = 0; i < 50; i++) free(malloc(100));
  tl_thread_allocations(&after);
  printf(" %d %d ", (int)(after.count - before.count), (int)(after.bytes - before.bytes));
}

int main(int argc, char** argv) {
  pthread_t other;
  (void)argv;
  pair = tl_scope_register("pair"), x = tl_scope_register("x"), y = tl_scope_register("y"), z = tl_scope_register("z");
  theirs = tl_scope_register("theirs"), tick = tl_scope_register("tick");
  number = tl_scope_register("number"), carried = tl_scope_register("carried");
  pthread_create(&other, NULL, thread, NULL), sem_wait(&open);
  printf("%d ", tl_recording()), record(10);
  tl_scope_begin(x), tl_scope_begin(y);
  pause_and_work(), tl_resume(), printf("%d ", tl_recording());
  tl_scope_end(z), tl_scope_end(y), tl_scope_end(x), record(5);
  pause_and_work(), tl_resume(), printf("%d\n", tl_recording()), record(3);
  sem_post(&go_on), pthread_join(other, NULL);
  if (argc > 1) fflush(stdout), tl_scope_begin(x), pause_and_work();
  return 0;
}
