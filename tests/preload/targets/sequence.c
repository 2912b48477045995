// One known sequence of every kind of record, once on main, and n times over on thread n. argv: modes of begin and end.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

static int begin_mode, end_mode;
static tl_scope_id outer, inner, again, a, b, c, never, cut, first, second, planned, carried, tick, number, far;

static void begin(tl_scope_id id) {
  begin_mode == 0 ? tl_scope_begin(id) : begin_mode == 1 ? tl_scope_begin_mid(id) : tl_scope_begin_hard(id);
}
static void end(tl_scope_id id) {
  end_mode == 0 ? tl_scope_end(id) : end_mode == 1 ? tl_scope_end_mid(id) : tl_scope_end_hard(id);
}
static void deeper(int levels) {
  begin(again);
  if (levels > 1) deeper(levels - 1);
  end(again);
}

static void* work(void* thread) {
  const int n = thread == NULL ? 1 : (int)(intptr_t)thread;
  char text[400];
  for (int i = 0; i < 100 * n; i++) begin(outer), begin(inner), end(inner), begin(inner), end(inner), end(outer);
  for (int i = 0; i < 10 * n; i++) deeper(5);
  begin(a), begin(b), end(a), end(b), end(c);
  for (int i = 0; i < 20 * n; i++) tl_scope_next(first), tl_scope_next(second), tl_scope_next(0);
  for (int i = 0; i < 5 * n; i++) tl_scope_begin_at(planned, tl_ticks() - 1000), end(planned);
  for (int i = 0; i < 2 * n; i++) tl_scope_begin_at(planned, UINT64_C(1) << 62), end(planned);
  tl_scope_begin_at(planned, 0), end(planned);
  const uint64_t now = tl_ticks();
  for (int i = 0; i < 7 * n; i++) tl_span(carried, now, now + 10);
  for (int i = 0; i < 11 * n; i++) tl_pulse(tick);
  for (int i = 0; i < 50 * n; i++) tl_value(number, (i % 2 ? -i : i) * INT64_C(1000003));
  tl_value(far, INT64_MIN), tl_value(far, INT64_MAX);
  snprintf(text, sizeof text, "thread %d: \"%0*d\"", n, 130 * n, 0);
  tl_mark(text), tl_mark(""), tl_mark(NULL), tl_mark("\xc3\xbc, <&>");
  begin(never);
  return NULL;
}

int main(int argc, char** argv) {
  static const char* const names[] = {"outer", "inner",  "again",   "a",       "b",    "c",      "never", "cut",
                                      "first", "second", "planned", "carried", "tick", "number", "far"};
  tl_scope_id* const ids[] = {&outer, &inner,  &again,   &a,       &b,    &c,      &never, &cut,
                              &first, &second, &planned, &carried, &tick, &number, &far};
  pthread_t other;
  begin_mode = argc > 1 ? atoi(argv[1]) : 0, end_mode = argc > 2 ? atoi(argv[2]) : 0;
  for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) *ids[i] = tl_scope_register(names[i]);
  begin(cut), tl_pause(), end(cut), work(NULL), tl_resume();  // of the pause nothing is there
  work(NULL);
  for (intptr_t n = 2; n <= 3; n++) pthread_create(&other, NULL, work, (void*)n), pthread_join(other, NULL);
  return 0;
}
