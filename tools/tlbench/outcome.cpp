#include "tlbench/outcome.h"

#include <fmt/format.h>

#include "analyze/summary.h"
#include "base/alloc_call.h"
#include "base/size_class.h"
#include "read/dump.h"

namespace tl::tlbench {

namespace {

// False: it cannot be read, and the outcome says so.
bool open(const std::string& path, read::Dump& dump, Outcome& outcome) {
  const std::string failure = dump.open(path);
  if (failure.empty()) return true;
  outcome.disagreement = failure;
  return false;
}

void add(const read::Dump& dump, std::uint64_t recorded, Counts& counts) {
  counts.recorded += recorded;
  counts.bytes += dump.bytes();
  const analyze::Losses losses = analyze::count_losses(dump, {});
  counts.lost += losses.records;
  for (unsigned cause = 0; cause < kLossCauses; ++cause) counts.by_cause[cause] += losses.by_cause[cause];
}

std::string why_not_closed(const read::Dump& dump) {
  if (dump.facts().end && dump.facts().end->reason == read::EndReason::exit) return {};
  return "the dump was not closed by the process's exit";
}

std::uint64_t calls_of(const read::Thread& thread) {
  std::uint64_t sum = 0;
  if (thread.counters)
    for (const read::CallCount& row : thread.counters->calls) sum += row.calls;
  return sum;
}

std::uint64_t calls_of(const read::Thread& thread, AllocCall call, unsigned size_class) {
  if (thread.counters)
    for (const read::CallCount& row : thread.counters->calls)
      if (row.call == static_cast<unsigned>(call) && row.size_class == size_class) return row.calls;
  return 0;
}

}  // namespace

void check_scopes(const std::string& path, Outcome& outcome) {
  read::Dump dump;
  if (!open(path, dump, outcome)) return;
  std::uint64_t recorded = 0;
  for (const auto& [serial, thread] : dump.facts().threads) recorded += thread.scopes;
  Counts& counts = outcome.counts.emplace();
  add(dump, recorded, counts);
  const std::uint64_t begun = outcome.measured.begun;
  if (counts.recorded + counts.lost != begun)
    outcome.disagreement = fmt::format("{} scopes were begun, but the dump holds {} and counts {} as lost", begun,
                                       counts.recorded, counts.lost);
  else
    outcome.disagreement = why_not_closed(dump);
}

void check_calls(const std::string& path, const Calls& calls, Outcome& outcome) {
  read::Dump dump;
  if (!open(path, dump, outcome)) return;
  std::uint64_t counted = 0, allocations = 0, frees = 0, timed = 0;
  // Main is 0, and those that it made follow.
  const auto is_one = [&](std::uint32_t serial) { return serial >= 1 && serial <= calls.threads; };
  for (const auto& [serial, thread] : dump.facts().threads) {
    if (!is_one(serial)) continue;
    counted += calls_of(thread);
    allocations += calls_of(thread, AllocCall::malloc_, size_class_of(calls.bytes));
    frees += calls_of(thread, AllocCall::free_, 0);
  }
  if (calls.timed)
    dump.for_each_latency([&](const read::LatencyPart& part) { timed += is_one(part.thread) ? part.samples : 0; });
  add(dump, counted, outcome.counts.emplace());
  const std::uint64_t begun = outcome.measured.begun;
  if (counted != begun)
    outcome.disagreement = fmt::format("{} calls were made, but the dump counts {}", begun, counted);
  else if (allocations != begun / 2 || frees != begun / 2)
    outcome.disagreement = fmt::format("{} pairs of malloc and free were made, but the dump counts {} and {}",
                                       begun / 2, allocations, frees);
  else if (calls.timed && timed != begun)
    outcome.disagreement = fmt::format("{} calls were made, but the dump holds the times of {}", begun, timed);
  else
    outcome.disagreement = why_not_closed(dump);
}

void add_calls(const std::string& path, Outcome& outcome) {
  read::Dump dump;
  if (!open(path, dump, outcome)) return;
  std::uint64_t counted = 0;
  for (const auto& [serial, thread] : dump.facts().threads) counted += calls_of(thread);
  if (!outcome.counts) outcome.counts.emplace();
  add(dump, counted, *outcome.counts);
  outcome.disagreement = counted == 0 ? "the dump counts no call" : why_not_closed(dump);
}

}  // namespace tl::tlbench
