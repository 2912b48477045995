// The clocks that slices are timed by.
#pragma once

#include <time.h>

#include <cstdint>

#include "tlbench/timed.h"

namespace tl::tlbench {

inline double seconds_by(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// How long a tick of the time stamp counter is, by the whole time since it was made: microseconds of doubt at each end
// of at least tens of milliseconds.
class TickLength {
 public:
  double ns_per_tick() const {
    const double ns = (seconds_by(CLOCK_MONOTONIC_RAW) - seconds_) * 1e9;
    return ns / static_cast<double>(ticks_now() - ticks_);
  }

 private:
  double seconds_ = seconds_by(CLOCK_MONOTONIC_RAW);
  std::uint64_t ticks_ = ticks_now();
};

}  // namespace tl::tlbench
