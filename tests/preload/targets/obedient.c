// Does what its standard input says, a letter and a number each, and answers each with the letter: r records so many
// scopes, t starts so many threads that record without an end, j ends and joins them, p pauses, q goes on, a allocates.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static tl_scope_id work;
static atomic_int stop;

static void record(int scopes) {
  for (int i = 0; i < scopes; i++) tl_scope_begin(work), tl_scope_end(work);
}
static void* thread(void* unused) {
  while (!stop) record(100), sched_yield();
  return unused;
}

int main(void) {
  pthread_t threads[16];
  int number, running = 0;
  char letter;
  work = tl_scope_register("work");
  while (scanf(" %c%d", &letter, &number) == 2) {
    if (letter == 'r') record(number);
    if (letter == 'p') tl_pause();
    if (letter == 'q') tl_resume();
    if (letter == 'a') free(malloc(100));
    if (letter == 't')
      for (stop = 0; running < number; running++) pthread_create(&threads[running], NULL, thread, NULL);
    if (letter == 'j')
      for (stop = 1; running > 0;) pthread_join(threads[--running], NULL);
    printf("%c\n", letter), fflush(stdout);
  }
  return 0;
}
