#include "tlbench/stretch.h"

#include <time.h>

#include <algorithm>
#include <memory>

#include "hist/histogram.h"
#include "tlbench/clocks.h"
#include "tlbench/second.h"
#include "tlbench/slices.h"
#include "tlbench/undrained.h"

namespace tl::tlbench {

namespace {

constexpr double kReferenceShare = 0.05;  // of the time, before and once more after
constexpr double kBurstSeconds = 0.02;
constexpr double kSliceSeconds = 0.025;
constexpr double kFewestSlices = 8;      // of the shortest of all that is measured
constexpr double kDrainCatchesUp = 0.1;  // seconds, after the stretch
constexpr std::uint32_t kTrialBatches = 32, kTrials = 3;
constexpr std::uint32_t kItemsAtOnce = 200;  // 1 ms

// Ends early when a signal comes.
void sleep_for(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  if (!stop_asked) nanosleep(&time, nullptr);
}

// What one thread did.
class Run {
 public:
  explicit Run(std::size_t slice_batches) : ticks_(slice_batches) {}

  void go(Operation operation, Work& work, double seconds) {
    const double start = seconds_by(CLOCK_MONOTONIC_RAW), end = start + seconds;
    do {
      const Times times = run_batches(operation, work, ticks_);
      const double each = 1e9 / static_cast<double>(ticks_.size() * kBatch);
      ns.push_back(times.wall * each);
      cpu_ns.push_back(times.cpu * each);
      for (const std::uint64_t batch : ticks_) batches.record(batch);
      operations += ticks_.size() * kBatch;
    } while (!stop_asked && seconds_by(CLOCK_MONOTONIC_RAW) < end);
    seconds_taken += seconds_by(CLOCK_MONOTONIC_RAW) - start;
  }

  std::vector<double> ns, cpu_ns;  // of each slice, an operation's
  std::uint64_t operations = 0;
  double seconds_taken = 0;

 private:
  static void* get(void* context, std::size_t bytes) {
    auto& pages = *static_cast<std::vector<std::unique_ptr<std::uint64_t[]>>*>(context);
    return pages.emplace_back(new std::uint64_t[bytes / sizeof(std::uint64_t) + 1]()).get();
  }
  std::vector<std::uint64_t> ticks_;
  std::vector<std::unique_ptr<std::uint64_t[]>> pages_;

 public:
  hist::Histogram batches{{get, &pages_}};  // in ticks
};

class Stretch {
 public:
  Stretch(const Case& of, const Plan& plan, Work& work, Measured& measured)
      : of_(of), plan_(plan), work_(work), measured_(measured) {
    if (of.part.threads > 1) second_ = std::make_unique<Second>(work, plan);
    const Second::Job empty = [](Work&) { empty_undrained_ring(); };
    on_each(empty, empty);
  }

  void measure() {
    const TickLength length;
    const double start = seconds_by(CLOCK_MONOTONIC_RAW);
    const bool burst = of_.idle_share > 0;
    const double reference = plan_.seconds * kReferenceShare;
    const double whole = burst ? kBurstSeconds : plan_.seconds - 2 * reference;
    const std::size_t batches = slice_batches(std::min(reference, whole));
    Run ours(batches), others(batches), our_reference(batches), others_reference(batches);
    go(of_.reference, reference, our_reference, others_reference);
    sleep_for(plan_.seconds * of_.idle_share);
    measured_.idle_seconds = seconds_by(CLOCK_MONOTONIC_RAW) - start;
    go(of_.part, whole, ours, others);
    sleep_for(kDrainCatchesUp);
    go(of_.reference, reference, our_reference, others_reference);

    measured_.in_turn = false;
    measured_.slice_operations = batches * kBatch;
    measured_.batch_operations = kBatch;
    measured_.stretch_begun = ours.operations + others.operations;
    measured_.stretch_seconds = std::max(ours.seconds_taken, others.seconds_taken);
    measured_.begun += measured_.stretch_begun;
    const double ns_per_tick = length.ns_per_tick();
    keep(ours, others, ns_per_tick, measured_.part);
    keep(our_reference, others_reference, ns_per_tick, measured_.reference);
  }

 private:
  // As fast as the reference's fastest trial; the first of all is only to warm up. The library is not asked for a
  // record yet: a burst is to be the first.
  std::size_t slice_batches(double shortest) {
    std::vector<std::uint64_t> ticks(kTrialBatches);
    double fastest = run_batches(of_.reference.operation, work_, ticks).wall;
    for (unsigned trial = 0; trial < kTrials; ++trial)
      fastest = std::min(fastest, run_batches(of_.reference.operation, work_, ticks).wall);
    const double slice = std::min(kSliceSeconds, shortest / kFewestSlices);
    return std::max<std::size_t>(1, static_cast<std::size_t>(slice / (fastest / kTrialBatches)));
  }

  void on_each(const Second::Job& ours, const Second::Job& others) {
    if (second_ == nullptr) return ours(work_);
    second_->beside(others, [&] { ours(work_); });
  }
  void go(const Part& part, double seconds, Run& ours, Run& others) {
    on_each([&](Work& work) { ours.go(part.operation, work, seconds); },
            [&](Work& work) { others.go(part.operation, work, seconds); });
  }

  static void keep(const Run& ours, const Run& others, double ns_per_tick, Series& series) {
    hist::Histogram batches = ours.batches;
    batches.add(others.batches);
    for (const Run* run : {&ours, &others}) {
      series.ns.insert(series.ns.end(), run->ns.begin(), run->ns.end());
      series.cpu_ns.insert(series.cpu_ns.end(), run->cpu_ns.begin(), run->cpu_ns.end());
    }
    series.p50_ns = static_cast<double>(batches.percentile(50)) * ns_per_tick / kBatch;
    series.p99_ns = static_cast<double>(batches.percentile(99)) * ns_per_tick / kBatch;
  }

  const Case& of_;
  const Plan& plan_;
  Work& work_;
  Measured& measured_;
  std::unique_ptr<Second> second_;
};

}  // namespace

void measure_stretch(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  Stretch(of, plan, work, measured).measure();
}

void run_paced(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  const double end = seconds_by(CLOCK_MONOTONIC_RAW) + plan.seconds;
  while (!stop_asked && seconds_by(CLOCK_MONOTONIC_RAW) < end) {
    of.part.operation(work, kItemsAtOnce);
    measured.begun += kItemsAtOnce * kNestedStages;
  }
}

}  // namespace tl::tlbench
