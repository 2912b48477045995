// Stamps. A tick is one count of the time stamp counter where it is fit (invariant, and the kernel trusts it), else one
// nanosecond of CLOCK_MONOTONIC_RAW. What is not promised: order between CPUs closer than their skew (about 110 ns),
// and order of a plain rdtsc against the instructions around it.
#pragma once

#include <time.h>

#include <cstdint>

namespace tl::clock {

// CLOCK_MONOTONIC_RAW in ns, past any preloaded clock_gettime: by our own look-up of the vDSO, else by system call.
std::uint64_t raw_ns();

// False: ticks are nanoseconds. Set once, at start, before the first stamp.
extern bool ticks_are_tsc;

inline std::uint64_t ticks() {
#if defined(__x86_64__)
  if (__builtin_expect(ticks_are_tsc, 1)) return __builtin_ia32_rdtsc();
#endif
  return raw_ns();
}

}  // namespace tl::clock
