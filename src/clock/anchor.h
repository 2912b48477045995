// Tying ticks to time, and deciding which clock ticks come from.
#pragma once

#include <cstdint>

namespace tl::clock {

struct AnchorSample {
  std::uint64_t ticks;
  std::uint64_t raw_ns;         // CLOCK_MONOTONIC_RAW
  std::uint64_t real_ns;        // CLOCK_REALTIME
  std::uint32_t bracket_ticks;  // how long the bracketed read took: the sample's uncertainty
};

// Decides ticks_are_tsc: invariant TSC by cpuid AND the kernel's clocksource is tsc. Call once, at start.
void choose_clock();

// Best of 8 reads, each bracketed by two stamps. No spinning: about 1 us.
AnchorSample take_anchor();

}  // namespace tl::clock
