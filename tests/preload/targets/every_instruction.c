// Steps through a few scopes of a new thread with the processor's trap flag, and at the K-th instruction records one
// scope more from the handler, as a signal there would. Prints how many steps there were.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static volatile long steps, wanted;
static tl_scope_id outer, inner;

static void on_step(int number) {
  (void)number;
  if (++steps != wanted) return;
  tl_scope_begin(inner);
  tl_scope_end(inner);
}

static void* step(void* before) {
  for (long i = *(long*)before; i > 0; i--) tl_scope_begin(outer), tl_scope_end(outer);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  for (int i = 0; i < 3; i++) tl_scope_begin(outer), tl_scope_end(outer);
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  struct sigaction action = {.sa_handler = on_step};
  sigaction(SIGTRAP, &action, NULL);
  outer = tl_scope_register("outer"), inner = tl_scope_register("inner");
  wanted = atol(argv[1]);
  long before = atol(argv[2]);
  for (int i = 0; i < 10; i++) tl_scope_begin(outer), tl_scope_end(outer);
  usleep(20000);  // the drain is there, and has memory ready: where signals are blocked a trap is deadly
  pthread_t thread;
  pthread_create(&thread, NULL, step, &before);
  pthread_join(thread, NULL);
  printf("%ld\n", steps);
  return 0;
}
