#include "tlbench/cold.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <telemetry/telemetry.h>

#include <cerrno>
#include <memory>
#include <semaphore>
#include <system_error>

#include "tlbench/clocks.h"
#include "tlbench/paired.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace {

// The threads of so many pairs stay until all of them have run, as those of a server do: each needs a ring that no
// other had. They are the figure.
constexpr std::size_t kCrowd = 128;
// Later ones come and go one by one, and may get what an earlier one left: said beside it.
constexpr std::size_t kMostRecycled = 100'000;

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
  pthread_t thread = {};
  std::binary_semaphore done{0}, may_go{0};

  First(Operation of, Work& with) : operation(of), work(with) {}
};

void* run_first(void* argument) {
  First& first = *static_cast<First*>(argument);
  observe();  // so that looking takes no fault of its own
  first.before = observe();
  first.ticks = ticks_of_one(first.operation, first.work);
  first.after = observe();
  first.done.release();
  first.may_go.acquire();
  return nullptr;
}

class Threads {
 public:
  Threads(Work& work, Measured& measured) : work_(work), measured_(measured) {}
  ~Threads() { let_go(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // One thread from its birth to the end of its first operation.
  void run(const Part& part, Series& series) {
    First& first = *present_.emplace_back(std::make_unique<First>(part.operation, work_));
    // Not std::thread, whose start allocates.
    if (const int error = pthread_create(&first.thread, nullptr, run_first, &first)) {
      present_.pop_back();
      throw std::system_error(error, std::generic_category(), "cannot create a thread");
    }
    if (part.records) ++measured_.begun;
    first.done.acquire();
    series.ns.push_back(static_cast<double>(first.ticks));
    const std::uint64_t faults = first.after.minor_faults - first.before.minor_faults;
    series.minor_faults += faults;
    series.faulting += faults > 0 ? 1 : 0;
    series.heap_bytes += first.after.heap_bytes - first.before.heap_bytes;
    if (first.before.allocations && first.after.allocations)
      series.allocations = series.allocations.value_or(0) + *first.after.allocations - *first.before.allocations;
  }

  void let_go() {
    for (const auto& first : present_) {
      first->may_go.release();
      pthread_join(first->thread, nullptr);
    }
    present_.clear();
  }

 private:
  Work& work_;
  Measured& measured_;
  std::vector<std::unique_ptr<First>> present_;
};

}  // namespace

void measure_cold(const Case& of, const Plan& plan, Work& work, Measured& measured) {
  const TickLength length;
  Threads threads(work, measured);
  const auto pair = [&](bool turned, Series& part, Series& reference) {
    if (turned) threads.run(of.part, part);
    threads.run(of.reference, reference);
    if (!turned) threads.run(of.part, part);
  };
  // The process's own first time of everything, which is not a thread's.
  Series ignored;
  pair(false, ignored, ignored);

  const double end = seconds_by(CLOCK_MONOTONIC_RAW) + plan.seconds;
  for (std::size_t i = 0; i < kCrowd && !stop_asked; ++i) pair(i % 2 != 0, measured.part, measured.reference);
  threads.let_go();
  for (std::size_t i = 0; i < kMostRecycled && !stop_asked && (i < 3 || seconds_by(CLOCK_MONOTONIC_RAW) < end); ++i) {
    threads.run(of.part, measured.recycled);
    threads.let_go();
  }
  const double ns_per_tick = length.ns_per_tick();
  for (Series* series : {&measured.part, &measured.reference, &measured.recycled}) {
    for (double& ns : series->ns) ns *= ns_per_tick;
    series->p50_ns = quantile(series->ns, 0.5);
    series->p99_ns = quantile(series->ns, 0.99);
  }
  measured.slice_operations = measured.batch_operations = 1;
}

}  // namespace tl::tlbench
