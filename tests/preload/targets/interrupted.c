// Steps through one kind of call (argv[1]) with the processor's trap flag, again and again on new threads, and at the
// K-th instruction, K = 1, 2, ..., makes records of every kind from the handler, as a signal there would. The call
// comes after argv[2] records of its thread, so that it may be its first, or stand where a segment of its ring ends.
// argv[3]: and the handler pauses and goes on first, as another thread might meanwhile. Prints how many K there were,
// and how often the handler ran.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static volatile long steps, wanted, handled;
static long before;
static int pausing;
static char kind;
static tl_scope_id warm, own, other, inner, tick, carried, number;

static void on_step(int unused, siginfo_t* info, void* context) {
  (void)unused, (void)info;
  if (++steps != wanted) return;
  handled++;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;  // the rest runs freely
  if (pausing) tl_pause(), tl_resume();
  tl_scope_begin(inner), tl_scope_begin_hard(inner), tl_scope_end(inner), tl_scope_end_mid(inner);
  tl_scope_begin(inner), tl_scope_next(inner), tl_scope_end(inner), tl_scope_begin_at(inner, 1), tl_scope_end(inner);
  tl_pulse(tick), tl_span(carried, 0, 0), tl_value(number, 0), tl_mark("handler");
}

static void call(void) {
  char text[40];
  switch (kind) {
    case 'f':
      return tl_scope_begin(own), tl_scope_end(own);
    case 'm':
      return tl_scope_begin_mid(own), tl_scope_end_mid(own);
    case 'h':
      return tl_scope_begin_hard(own), tl_scope_end_hard(own);
    case 'n':
      return tl_scope_next(own), tl_scope_next(other), tl_scope_next(0);
    case 'a':
      return tl_scope_begin_at(own, 1), tl_scope_end(own);
    case 'p':
      return tl_pulse(tick), tl_pulse(tick);
    case 'v':
      return tl_value(own, wanted), tl_value(own, INT64_MIN + wanted);
    case 's':
      return tl_span(own, 1, 1 + (uint64_t)wanted), tl_span(own, 1, 1 + (UINT64_C(1) << 50));
  }
  for (int i = 0; i < 39; i++) text[i] = (char)('a' + i % 26);
  text[39] = 0, tl_mark(text);
}

static void* step(void* unused) {
  if (before > 0) tl_pulse(tick);  // the first has no gap to record
  for (long i = 0; i < before; i++) tl_scope_begin(warm), tl_scope_end(warm);
  steps = 0;
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  call();
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  pthread_t thread;
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  kind = argv[1][0], before = atol(argv[2]), pausing = argc > 3;
  warm = tl_scope_register("warm"), own = tl_scope_register("own"), other = tl_scope_register("other");
  inner = tl_scope_register("inner"), tick = tl_scope_register("tick");
  carried = tl_scope_register("carried"), number = tl_scope_register("number");
  tl_scope_begin(warm), tl_scope_end(warm);
  usleep(20000);  // the drain is there, and has memory ready: where signals are blocked a trap is deadly
  do {
    wanted++;
    pthread_create(&thread, NULL, step, NULL), pthread_join(thread, NULL);
  } while (steps >= wanted);
  printf("%ld %ld\n", wanted, handled);
  return 0;
}
