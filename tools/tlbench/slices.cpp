#include "tlbench/slices.h"

#include <sched.h>

#include <memory>

#include "base/cpu_set.h"
#include "tlbench/clocks.h"
#include "tlbench/second.h"
#include "tlbench/turns.h"

namespace tl::tlbench {

volatile std::sig_atomic_t stop_asked = 0;

Times run_batches(Operation operation, Work& work, std::span<std::uint64_t> ticks) {
  const double cpu = seconds_by(CLOCK_THREAD_CPUTIME_ID), wall = seconds_by(CLOCK_MONOTONIC_RAW);
  std::uint64_t last = ticks_now();
  for (std::uint64_t& batch : ticks) {
    operation(work, kBatch);
    const std::uint64_t now = ticks_now();
    batch = now - last;
    last = now;
  }
  const double wall_end = seconds_by(CLOCK_MONOTONIC_RAW), cpu_end = seconds_by(CLOCK_THREAD_CPUTIME_ID);
  return {wall_end - wall, cpu_end - cpu};
}

namespace {

// A slice at full rate makes over a million records, as many as a ring may hold: its first segments are far behind, and
// what it costs to go on in another is in the figure.
constexpr double kSliceSeconds = 0.025;

class Slices {
 public:
  Slices(const Case& of, const Plan& plan, Work& work, Measured& measured)
      : plan_(plan), work_(work), measured_(measured) {
    add(of.reference, measured.reference);
    add(of.part, measured.part);
    if (of.floor) add(*of.floor, measured.floor);
    measured.cpu_time = of.part.threads > 1;
    if (of.part.threads > 1) second_ = std::make_unique<Second>(work, plan);
  }

  void measure() { take_in_turn(lanes_, plan_.seconds, kSliceSeconds, measured_); }

 private:
  void add(const Part& part, Series& series) {
    lanes_.push_back({series, [this, part](std::vector<std::uint64_t>& ticks) { return take(part, ticks); }});
  }

  Times take(const Part& part, std::vector<std::uint64_t>& ticks) {
    if (part.records) measured_.begun += ticks.size() * kBatch * part.threads;
    if (part.threads == 1) return run_batches(part.operation, work_, ticks);
    Times one, other;
    others_ticks_.resize(ticks.size());
    second_->beside([&](Work& work) { other = run_batches(part.operation, work, others_ticks_); },
                    [&] { one = run_batches(part.operation, work_, ticks); });
    return {(one.wall + other.wall) / 2, (one.cpu + other.cpu) / 2};
  }

  const Plan& plan_;
  Work& work_;
  Measured& measured_;
  std::unique_ptr<Second> second_;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> others_ticks_;
};

}  // namespace

void pin(const Plan& plan, std::size_t index) {
  if (plan.cpus.empty()) return;
  // No CPU_ALLOC: it is malloc, and the calls of a thread that is pinned may be those that are counted.
  CpuSet set{};
  set.add(static_cast<std::uint64_t>(plan.cpus[index % plan.cpus.size()]));
  sched_setaffinity(0, sizeof set, reinterpret_cast<const cpu_set_t*>(&set));
}

void measure_slices(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  Slices(of, plan, work, measured).measure();
}

}  // namespace tl::tlbench
