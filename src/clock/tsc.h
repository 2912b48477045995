// Stamps. A tick is one count of the time stamp counter where it is fit (invariant, and the kernel trusts it), else one
// nanosecond of CLOCK_MONOTONIC_RAW. What is not promised: order between CPUs closer than their skew (about 110 ns),
// and order of a plain rdtsc against the instructions around it.
#pragma once

#include <time.h>

#include <cstdint>

#include "base/stamp_mode.h"

namespace tl::clock {

// CLOCK_MONOTONIC_RAW in ns, past any preloaded clock_gettime: by our own look-up of the vDSO, else by system call.
std::uint64_t raw_ns();

// False: ticks are nanoseconds. Set once, at start, before the first stamp.
extern bool ticks_are_tsc;

// A stamp as the instruction gives it, in halves: where the next stamp waits for all that is computed from this one,
// each step less shows.
struct CounterStamp {
  std::uint64_t low, high;  // 32 bits each
  std::uint64_t ticks() const { return high << 32 | low; }
};

// Of the counter itself, for who knows that it is fit. By hand, since the compiler's own rdtscp also keeps the
// processor's number, and so that no access to memory is moved across.
#if defined(__x86_64__)
template <StampMode kMode>
inline CounterStamp counter_at_begin() {
  CounterStamp now;
  if constexpr (kMode == StampMode::fast) asm volatile("rdtsc" : "=a"(now.low), "=d"(now.high) : : "memory");
  if constexpr (kMode == StampMode::mid) asm volatile("rdtscp" : "=a"(now.low), "=d"(now.high) : : "rcx", "memory");
  if constexpr (kMode == StampMode::hard)
    asm volatile("lfence\n\trdtscp" : "=a"(now.low), "=d"(now.high) : : "rcx", "memory");
  return now;
}
// Of a hard one the fence is still to come: fence_end().
template <StampMode kMode>
inline CounterStamp counter_at_end() {
  constexpr StampMode kUnfenced = kMode == StampMode::hard ? StampMode::mid : kMode;
  return counter_at_begin<kUnfenced>();
}
inline void fence_end() { asm volatile("lfence" : : : "memory"); }
#else
template <StampMode>
inline CounterStamp counter_at_begin() {
  const std::uint64_t now = raw_ns();
  return {now & 0xffffffff, now >> 32};
}
template <StampMode kMode>
inline CounterStamp counter_at_end() {
  return counter_at_begin<kMode>();
}
inline void fence_end() {}
#endif

// Of whichever clock was chosen.
template <StampMode kMode>
inline std::uint64_t ticks_at_begin() {
  return __builtin_expect(ticks_are_tsc, 1) ? counter_at_begin<kMode>().ticks() : raw_ns();
}
template <StampMode kMode>
inline std::uint64_t ticks_at_end() {
  if (!__builtin_expect(ticks_are_tsc, 1)) return raw_ns();
  const CounterStamp now = counter_at_end<kMode>();
  if constexpr (kMode == StampMode::hard) fence_end();
  return now.ticks();
}
inline std::uint64_t ticks() { return ticks_at_begin<StampMode::fast>(); }

inline std::uint64_t ticks_at_begin(StampMode mode) {
  return mode == StampMode::hard  ? ticks_at_begin<StampMode::hard>()
         : mode == StampMode::mid ? ticks_at_begin<StampMode::mid>()
                                  : ticks();
}
inline std::uint64_t ticks_at_end(StampMode mode) {
  return mode == StampMode::hard  ? ticks_at_end<StampMode::hard>()
         : mode == StampMode::mid ? ticks_at_end<StampMode::mid>()
                                  : ticks();
}

}  // namespace tl::clock
