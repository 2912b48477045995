#include "clock/calibration.h"

#include <atomic>

#include "clock/tsc.h"

namespace tl::clock {

namespace {

struct Calibration {
  AnchorSample start;
  std::atomic<double> ns_per_tick;
  std::atomic<std::uint64_t> valid_until_ticks;
};
constinit Calibration calibration{};

// Two anchors of one instant say nothing; then what is usual is as good as any.
constexpr double kUsualNsPerTick = 0.4;

}  // namespace

void calibrate_from(const AnchorSample& start) { calibration.start = start; }

double ns_per_tick() {
  if (!ticks_are_tsc) return 1;
  // Relaxed: whichever of two measurements a reader finds, it is a good one.
  if (ticks() < calibration.valid_until_ticks.load(std::memory_order_relaxed))
    return calibration.ns_per_tick.load(std::memory_order_relaxed);
  const AnchorSample now = take_anchor();
  const std::uint64_t ticks = now.ticks - calibration.start.ticks, ns = now.raw_ns - calibration.start.raw_ns;
  if (ticks == 0 || ns == 0) return kUsualNsPerTick;
  const double measured = static_cast<double>(ns) / static_cast<double>(ticks);
  calibration.ns_per_tick.store(measured, std::memory_order_relaxed);
  calibration.valid_until_ticks.store(now.ticks + ticks, std::memory_order_relaxed);
  return measured;
}

}  // namespace tl::clock
