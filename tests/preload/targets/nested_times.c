// Nested and recursive scopes of known times. Prints per name the least and the most ns that they can have taken, by
// the kernel's clock inside and outside of each (of a recursive one, of the outermost level), and how many there were.
#include <stdio.h>
#include <time.h>

#include <telemetry/telemetry.h>

enum { outer, inner, again, names };
static tl_scope_id ids[names];
static long long least[names], most[names], count[names];

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static void spin(long long us) {
  for (const long long until = now() + us * 1000; now() < until;) continue;
}

static void scope(int name, int levels) {
  const long long before = now();
  tl_scope_begin(ids[name]);
  const long long begun = now();
  spin(300);
  if (name == outer) scope(inner, 1), spin(100), scope(inner, 1), scope(again, 4);
  if (name == again && levels > 1) scope(again, levels - 1);
  const long long ends = now();
  tl_scope_end(ids[name]);
  count[name]++;
  if (name == again && levels < 4) return;
  least[name] += ends - begun, most[name] += now() - before;
}

int main(void) {
  static const char* const texts[] = {"outer", "inner", "again"};
  for (int i = 0; i < names; i++) ids[i] = tl_scope_register(texts[i]);
  for (int i = 0; i < 10; i++) scope(outer, 1);
  for (int i = 0; i < names; i++) printf("%s %lld %lld %lld\n", texts[i], least[i], most[i], count[i]);
  return 0;
}
