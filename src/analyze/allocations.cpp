// Allocation calls: exact counts of every thread, and the time inside them where it was recorded.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

constexpr unsigned kFree = static_cast<unsigned>(AllocCall::free_);

void add_part(hist::Histogram& histogram, const read::LatencyPart& part) {
  for (const auto& [index, times] : part.buckets) histogram.load_bucket(index, times);
  histogram.load_totals(part.samples, part.sum_ticks, part.min_ticks, part.max_ticks);
}

// See PlaceLatency. By the middles of buckets: a ranking needs no more.
double typical_units(const hist::Histogram& histogram) {
  constexpr std::uint64_t kFew = 1000, kRare = 10000;
  const double all = static_cast<double>(histogram.sum());
  if (histogram.count() < kFew) return all;
  const std::uint64_t aside = std::max<std::uint64_t>(1, histogram.count() / kRare);
  std::uint64_t left = histogram.count() - histogram.unbinned();
  left -= std::min(left, aside);
  double sum = 0;
  histogram.for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
    const hist::Buckets& buckets = histogram.buckets();
    const std::uint64_t taken = std::min(times, left), lowest = buckets.lowest_of(index);
    sum += (static_cast<double>(lowest) + static_cast<double>(buckets.highest_of(index) - lowest) / 2) *
           static_cast<double>(taken);
    return (left -= taken) > 0;
  });
  return std::min(sum, all - static_cast<double>(histogram.max()));
}

}  // namespace

Allocations measure_allocations(read::Dump& dump, const Filter& filter, Arena& arena) {
  const read::Facts& facts = dump.facts();
  Allocations out;
  if (facts.process) {
    out.counted = (facts.process->alloc_mode & kAllocCount) != 0;
    out.timed = (facts.process->alloc_mode & kAllocTime) != 0;
    out.observable = facts.process->alloc_observable;
    out.why_not = facts.process->alloc_why_not;
    if (!out.observable && out.why_not.empty()) out.why_not = "the dump does not say why";
  } else {
    out.why_not = "the block that says how allocations were recorded is not in the file";
  }
  for (const auto& [serial, thread] : facts.threads) {
    if (!is_orphan(thread) && thread_selected(dump, serial, filter)) {
      ++out.threads;
      out.threads_counted += thread.counters.has_value();
    }
    if (!thread.counters || !thread_selected(dump, serial, filter)) continue;
    for (const read::CallCount& row : thread.counters->calls) out.calls[row.call] += row.calls;
    out.failed += thread.counters->alloc_failed;
    out.bytes_requested += thread.counters->alloc_bytes;
  }

  const double ns_per_tick = dump.clock().ns_per_tick();
  std::map<std::pair<unsigned, unsigned>, hist::Histogram> by_call;
  std::map<std::tuple<std::uint32_t, bool, unsigned>, hist::Histogram> by_place;
  dump.for_each_latency([&](const read::LatencyPart& part) {
    if (part.samples == 0 || !thread_selected(dump, part.thread, filter)) return;
    const hist::Histogram empty(arena.memory());
    add_part(by_call.try_emplace({part.call, part.size_class}, empty).first->second, part);
    add_part(by_place.try_emplace({part.thread, part.call == kFree, part.size_class}, empty).first->second, part);
  });
  for (const auto& [key, histogram] : by_call) {
    out.latency.push_back({key.first, key.second, {histogram, ns_per_tick}});
    out.timed_calls += histogram.count();
    out.total_ns += out.latency.back().latency.total_ns();
  }
  for (const auto& [key, histogram] : by_place) {
    const auto& [thread, frees, size_class] = key;
    out.places.push_back({thread,
                          thread_label(dump, thread),
                          is_orphan(facts.threads.at(thread)),
                          frees,
                          size_class,
                          {histogram, ns_per_tick},
                          typical_units(histogram) * ns_per_tick});
  }
  std::stable_sort(out.places.begin(), out.places.end(), [](const PlaceLatency& a, const PlaceLatency& b) {
    return a.latency.total_ns() > b.latency.total_ns();
  });
  return out;
}

}  // namespace tl::analyze
