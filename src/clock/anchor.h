// Tying ticks to time, and deciding which clock ticks come from.
#pragma once

#include <cstdint>
#include <string_view>

namespace tl::clock {

struct AnchorSample {
  std::uint64_t ticks;
  std::uint64_t raw_ns;         // CLOCK_MONOTONIC_RAW
  std::uint64_t real_ns;        // CLOCK_REALTIME
  std::uint32_t bracket_ticks;  // how long the bracketed read took: the sample's uncertainty
};

// Why ticks cannot come from the time stamp counter; null: they can. `clocksource` as the kernel's file says it.
const char* why_unfit(bool invariant, std::string_view clocksource);

// Decides ticks_are_tsc: wanted, invariant by cpuid, and the kernel's clocksource. Returns why not, if it was wanted.
// Call once, at start.
const char* choose_clock(bool want_tsc);

// Best of 8 reads, each bracketed by two stamps. No spinning: about 1 us.
AnchorSample take_anchor();

}  // namespace tl::clock
