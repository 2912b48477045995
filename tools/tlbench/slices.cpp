#include "tlbench/slices.h"

#include <sched.h>

#include <algorithm>
#include <memory>

#include "base/limits.h"
#include "tlbench/clocks.h"
#include "tlbench/paired.h"
#include "tlbench/second.h"

namespace tl::tlbench {

volatile std::sig_atomic_t stop_asked = 0;

Times run_batches(Operation operation, Work& work, std::vector<std::uint64_t>& ticks) {
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
// what it costs to go on in another is in the figure. Shorter only where the time allows too few pairs for a median.
constexpr double kSliceSeconds = 0.025;
constexpr double kShortestSlice = 0.0005;
constexpr unsigned kFewestRounds = 3, kWantedRounds = 15;
constexpr std::uint32_t kTrialBatches = 32, kTrials = 3;

class Slices {
 public:
  Slices(const Case& of, const Plan& plan, Work& work, Measured& measured)
      : plan_(plan), work_(work), measured_(measured) {
    lanes_.push_back({of.reference, measured.reference, {}});
    lanes_.push_back({of.part, measured.part, {}});
    if (of.floor) lanes_.push_back({*of.floor, measured.floor, {}});
    measured.cpu_time = of.part.threads > 1;
    if (of.part.threads > 1) second_ = std::make_unique<Second>(work, plan);
  }

  void measure() {
    const TickLength length;
    choose_length();
    const double end = seconds_by(CLOCK_MONOTONIC_RAW) + plan_.seconds;
    for (unsigned round = 0; !stop_asked && (round < kFewestRounds || seconds_by(CLOCK_MONOTONIC_RAW) < end); ++round) {
      // Turned round each time, so that what drifts favours neither.
      const std::size_t count = lanes_.size();
      for (std::size_t i = 0; i < count; ++i) keep(lanes_[round % 2 == 0 ? i : count - 1 - i]);
    }
    const double ns_per_tick = length.ns_per_tick();
    for (Lane& lane : lanes_) {
      for (double& batch : lane.batches) batch *= ns_per_tick / kBatch;
      lane.series.p50_ns = quantile(lane.batches, 0.5);
      lane.series.p99_ns = quantile(lane.batches, 0.99);
    }
  }

 private:
  struct Lane {
    Part part;
    Series& series;
    std::vector<double> batches;
  };

  Times take(const Part& part) {
    if (part.records) measured_.begun += ticks_.size() * kBatch * part.threads;
    if (part.threads == 1) return run_batches(part.operation, work_, ticks_);
    Times one, other;
    others_ticks_.resize(ticks_.size());
    second_->beside([&](Work& work) { other = run_batches(part.operation, work, others_ticks_); },
                    [&] { one = run_batches(part.operation, work_, ticks_); });
    return {(one.wall + other.wall) / 2, (one.cpu + other.cpu) / 2};
  }

  // As many operations for all as the slowest does in a slice, by its fastest trial: others may have disturbed the
  // rest.
  void choose_length() {
    ticks_.resize(kTrialBatches);
    double slowest = 0;
    for (const Lane& lane : lanes_) {
      take(lane.part);  // first contact: caches, and a thread's first record
      double fastest = take(lane.part).wall;
      for (unsigned trial = 1; trial < kTrials; ++trial) fastest = std::min(fastest, take(lane.part).wall);
      slowest = std::max(slowest, fastest / kTrialBatches);
    }
    const double wanted = plan_.seconds / static_cast<double>(kWantedRounds * lanes_.size());
    const double slice = std::clamp(wanted, kShortestSlice, kSliceSeconds);
    ticks_.resize(std::clamp<std::size_t>(static_cast<std::size_t>(slice / slowest), 4, 1u << 20));
    measured_.slice_operations = ticks_.size() * kBatch;
    measured_.batch_operations = kBatch;
  }

  void keep(Lane& lane) {
    const Times times = take(lane.part);
    const double each = 1e9 / static_cast<double>(measured_.slice_operations);
    lane.series.ns.push_back(times.wall * each);
    lane.series.cpu_ns.push_back(times.cpu * each);
    lane.batches.insert(lane.batches.end(), ticks_.begin(), ticks_.end());
  }

  const Plan& plan_;
  Work& work_;
  Measured& measured_;
  std::unique_ptr<Second> second_;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> ticks_, others_ticks_;
};

}  // namespace

void pin(const Plan& plan, std::size_t index) {
  if (plan.cpus.empty()) return;
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(kMaxCpus));
  CPU_ZERO_S(CPU_ALLOC_SIZE(kMaxCpus), set);
  CPU_SET_S(static_cast<std::size_t>(plan.cpus[index % plan.cpus.size()]), CPU_ALLOC_SIZE(kMaxCpus), set);
  sched_setaffinity(0, CPU_ALLOC_SIZE(kMaxCpus), set);
  CPU_FREE(set);
}

void measure_slices(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  Slices(of, plan, work, measured).measure();
}

}  // namespace tl::tlbench
