// Case C9 for each call: as the first of a thread, many times over (in whatever rings the environment gives), and while
// paused. What is not as before a call is printed: errno, the signal mask, the rounding and the exceptions.
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <telemetry/telemetry.h>

static int changed;
static tl_scope_id id;

#define CALL(name, ...) \
  static void name(void) { __VA_ARGS__; }
CALL(fast, tl_scope_begin(id), tl_scope_end(id))
CALL(mid, tl_scope_begin_mid(id), tl_scope_end_mid(id))
CALL(hard, tl_scope_begin_hard(id), tl_scope_end_hard(id))
CALL(next, tl_scope_next(id), tl_scope_next(id), tl_scope_next(0))
CALL(planned, tl_scope_begin_at(id, 1), tl_scope_end(id))
CALL(far, tl_span(id, 1, 1 + (UINT64_C(1) << 50)))
CALL(reversed, tl_span(id, 9, 1))
CALL(pulse, tl_pulse(id), tl_pulse(id))
CALL(value, tl_value(id, 1), tl_value(id, INT64_MIN))
CALL(mark, tl_mark("a mark, and not a short one"), tl_mark(NULL))
CALL(wrong, tl_scope_end(id), tl_scope_end_hard(0), tl_scope_begin(60000), tl_pulse(60000), tl_value(0, 1))
CALL(counts, tl_allocations out = {.size = sizeof out}; tl_thread_allocations(&out))
CALL(recording, tl_recording(), tl_version())
CALL(known, tl_scope_register("state"))
CALL(stamps, tl_ticks(), tl_ticks_mid(), tl_ticks_hard_begin(), tl_ticks_hard_end())
CALL(unknown, static char name[4] = "new"; name[0]++; tl_scope_register(name))  // from here on not a thousand times
CALL(flush, tl_flush())
CALL(stop, tl_pause(), tl_resume())
CALL(ticks, tl_ticks_from_ns(1e9))  // from here on arithmetic, which may be inexact
CALL(ns, tl_ns_from_ticks(3), tl_ns_from_ticks(UINT64_MAX))
static void (*const calls[])(void) = {fast,  mid,    hard,      next,  planned, far,     reversed, pulse, value, mark,
                                      wrong, counts, recording, known, stamps,  unknown, flush,    stop,  ticks, ns};
enum { some = 15, exact = 18, all = sizeof calls / sizeof *calls };

static void check(int which, const char* when) {
  static sigset_t before, after;  // whole ones, of which the kernel writes eight bytes
  sigemptyset(&before), sigaddset(&before, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &before, NULL), pthread_sigmask(SIG_SETMASK, NULL, &before);
  fesetround(FE_UPWARD), feclearexcept(FE_ALL_EXCEPT), feraiseexcept(FE_DIVBYZERO);
  errno = 1234;
  calls[which]();
  const int error = errno, raised = fetestexcept(which < exact ? FE_ALL_EXCEPT : FE_DIVBYZERO | FE_INVALID);
  pthread_sigmask(SIG_SETMASK, NULL, &after);
  if (error != 1234) changed |= printf("%d %s: errno %d\n", which, when, error);
  if (raised != FE_DIVBYZERO || fegetround() != FE_UPWARD) changed |= printf("%d %s: floating point\n", which, when);
  if (memcmp(&before, &after, sizeof before) != 0) changed |= printf("%d %s: signal mask\n", which, when);
}

static void* first(void* which) {
  check(*(int*)which, "first");
  for (int i = 0; i < (*(int*)which < some ? 3000 : 1); i++) check(*(int*)which, "many times");
  return NULL;
}

int main(void) {
  id = tl_scope_register("state");
  for (int paused = 0; paused < 2; paused++) {
    for (int which = 0; which < all; which++) {
      pthread_t other;
      check(which, paused ? "paused" : "on main");
      if (paused) tl_pause();  // since the call itself may have resumed
      pthread_create(&other, NULL, first, &which), pthread_join(other, NULL);
      if (paused) tl_pause();
    }
    tl_pause();
  }
  return changed != 0;
}
