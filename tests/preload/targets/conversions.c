// Prints what the conversions say of the same 50 ms as the kernel's clock, and what they make of odd values.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <telemetry/telemetry.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
  static uint64_t (*const stamps[])(void) = {tl_ticks, tl_ticks_mid, tl_ticks_hard_begin, tl_ticks_hard_end};
  const struct timespec rest = {0, 50000000};
  uint64_t begin[4], end[4];
  double before[5], after[5];
  for (int i = 0; i < 5; i++) {
    before[i] = now();
    if (i < 4) begin[i] = stamps[i]();
  }
  nanosleep(&rest, NULL);
  for (int i = 0; i < 5; i++) {
    after[i] = now();
    if (i < 4) end[i] = stamps[i]();
  }
  for (int i = 0; i < 4; i++) {  // the stamps were taken after this reading and before the next
    const uint64_t ticks = end[i] - begin[i];
    printf("%.0f %.0f %.0f %" PRIu64 " %" PRIu64 "\n", after[i] - before[i + 1], after[i + 1] - before[i],
           tl_ns_from_ticks(ticks), ticks, tl_ticks_from_ns(tl_ns_from_ticks(ticks)));
  }
  printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %.1f\n", tl_ticks_from_ns(-1.0), tl_ticks_from_ns(NAN),
         tl_ticks_from_ns(-INFINITY), tl_ns_from_ticks(0));
  printf("%" PRIu64 " %" PRIu64 "\n", tl_ticks_from_ns(INFINITY), tl_ticks_from_ns(1e30));
  return 0;
}
