#include "tlbench/cold.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <telemetry/telemetry.h>

#include <cerrno>
#include <system_error>

#include "tlbench/clocks.h"
#include "tlbench/paired.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace {

constexpr std::size_t kMostPairs = 200'000;

// What of a thread's life the operation must not have changed.
struct Observed {
  std::uint64_t minor_faults = 0;
  std::int64_t heap_bytes = 0;  // of all threads; a fresh thread's first block costs its heap far more than its size
  std::optional<std::uint64_t> allocations = {};
};

Observed observe() {
  Observed now;
  tl_allocations allocations{};
  allocations.size = sizeof allocations;
  if (tl_thread_allocations(&allocations) == 0) now.allocations = allocations.count;
  const struct mallinfo2 heap = mallinfo2();
  now.heap_bytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  now.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
  return now;
}

struct First {
  Operation operation;
  Work& work;
  std::uint64_t ticks = 0;
  Observed before = {}, after = {};
};

void* run_first(void* argument) {
  First& first = *static_cast<First*>(argument);
  observe();  // so that looking takes no fault of its own
  first.before = observe();
  first.ticks = ticks_of_one(first.operation, first.work);
  first.after = observe();
  return nullptr;
}

void keep_first(const Part& part, Work& work, Series& series, Measured& measured) {
  First first{part.operation, work};
  // Not std::thread, whose start allocates.
  pthread_t thread;
  if (const int error = pthread_create(&thread, nullptr, run_first, &first))
    throw std::system_error(error, std::generic_category(), "cannot create a thread");
  if (part.records) ++measured.begun;
  pthread_join(thread, nullptr);
  series.ns.push_back(static_cast<double>(first.ticks));
  series.minor_faults += first.after.minor_faults - first.before.minor_faults;
  series.heap_bytes += first.after.heap_bytes - first.before.heap_bytes;
  if (first.before.allocations && first.after.allocations)
    series.allocations = series.allocations.value_or(0) + *first.after.allocations - *first.before.allocations;
}

}  // namespace

void measure_cold(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  const TickLength length;
  const auto pair = [&](bool turned, Series& part, Series& reference) {
    if (turned) keep_first(of.part, work, part, measured);
    keep_first(of.reference, work, reference, measured);
    if (!turned) keep_first(of.part, work, part, measured);
  };
  // The process's own first time of everything, which is not a thread's.
  Series ignored;
  pair(false, ignored, ignored);

  const double end = seconds_by(CLOCK_MONOTONIC_RAW) + plan.seconds;
  for (std::size_t i = 0; i < kMostPairs && !stop_asked && (i < 3 || seconds_by(CLOCK_MONOTONIC_RAW) < end); ++i)
    pair(i % 2 != 0, measured.part, measured.reference);
  const double ns_per_tick = length.ns_per_tick();
  for (Series* series : {&measured.part, &measured.reference}) {
    for (double& ns : series->ns) ns *= ns_per_tick;
    series->p50_ns = quantile(series->ns, 0.5);
    series->p99_ns = quantile(series->ns, 0.99);
  }
  measured.slice_operations = measured.batch_operations = 1;
}

}  // namespace tl::tlbench
