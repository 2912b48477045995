#include "tlbench/turns.h"

#include <algorithm>

#include "tlbench/clocks.h"
#include "tlbench/paired.h"

namespace tl::tlbench {

namespace {

constexpr double kShortestSlice = 0.0005;
constexpr unsigned kFewestRounds = 3, kWantedRounds = 15;
constexpr std::uint32_t kTrialBatches = 32, kTrials = 3;

// As many batches for all as the slowest does in a slice, by its fastest trial: others may have disturbed the rest.
std::size_t batches_of_slice(std::vector<Lane>& lanes, double seconds, double longest_slice) {
  std::vector<std::uint64_t> ticks(kTrialBatches);
  double slowest = 0;
  for (const Lane& lane : lanes) {
    lane.take(ticks);  // first contact: caches, and a thread's first record
    double fastest = lane.take(ticks).wall;
    for (unsigned trial = 1; trial < kTrials; ++trial) fastest = std::min(fastest, lane.take(ticks).wall);
    slowest = std::max(slowest, fastest / kTrialBatches);
  }
  const double wanted = seconds / static_cast<double>(kWantedRounds * lanes.size());
  const double slice = std::clamp(wanted, kShortestSlice, longest_slice);
  return std::clamp<std::size_t>(static_cast<std::size_t>(slice / slowest), 4, kMostBatches);
}

}  // namespace

void take_in_turn(std::vector<Lane>& lanes, double seconds, double longest_slice, Measured& measured) {
  const TickLength length;
  std::vector<std::uint64_t> ticks(batches_of_slice(lanes, seconds, longest_slice));
  measured.slice_operations = ticks.size() * kBatch;
  measured.batch_operations = kBatch;
  const double each = 1e9 / static_cast<double>(measured.slice_operations);
  const double end = seconds_by(CLOCK_MONOTONIC_RAW) + seconds;
  for (unsigned round = 0; !stop_asked && (round < kFewestRounds || seconds_by(CLOCK_MONOTONIC_RAW) < end); ++round) {
    // Turned round each time, so that what drifts favours neither.
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = lanes[round % 2 == 0 ? i : lanes.size() - 1 - i];
      const Times times = lane.take(ticks);
      lane.series.ns.push_back(times.wall * each);
      lane.series.cpu_ns.push_back(times.cpu * each);
      lane.batches.insert(lane.batches.end(), ticks.begin(), ticks.end());
    }
  }
  const double ns_per_tick = length.ns_per_tick();
  for (Lane& lane : lanes) {
    for (double& batch : lane.batches) batch *= ns_per_tick / kBatch;
    lane.series.p50_ns = quantile(lane.batches, 0.5);
    lane.series.p99_ns = quantile(lane.batches, 0.99);
  }
}

}  // namespace tl::tlbench
