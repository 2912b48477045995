// 1,000 requests, one each 100 us as planned; the 501st takes 30 ms. Prints, by the kernel's clock, how late after the
// plan they were ready: how many by more than 10 ms, and the longest (ns).
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>

#include <telemetry/telemetry.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void) {
  const tl_scope_id request = tl_scope_register("request"), ahead = tl_scope_register("ahead");
  const struct timespec stall = {0, 30000000};
  long long late = 0, longest = 0;
  nanosleep(&(struct timespec){0, 10000000}, NULL);  // what is known of the clock by then is good to 10 ppm
  const uint64_t start_ticks = tl_ticks();
  const long long start = now();
  for (int i = 0; i < 1000; i++) {
    while (now() < start + i * 100000LL) continue;
    tl_scope_begin_at(request, start_ticks + tl_ticks_from_ns(i * 100000.0));
    if (i == 500) nanosleep(&stall, NULL);
    tl_scope_end(request);
    const long long response = now() - (start + i * 100000LL);
    late += response > 10000000;
    if (response > longest) longest = response;
  }
  for (int i = 0; i < 5; i++) tl_scope_begin_at(ahead, tl_ticks() + tl_ticks_from_ns(1e9)), tl_scope_end(ahead);
  printf("%lld %lld\n", late, longest);
  return 0;
}
