#include "drain/own_cost.h"

#include <algorithm>

#include "clock/step.h"
#include "record/hot.h"
#include "record/open_scopes.h"
#include "record/process.h"

namespace tl::drain {

namespace {

using record::ThreadState;

constexpr unsigned kBatches = 9, kPerBatch = 64;  // the first batch warms up and does not count
constexpr unsigned kSamples = (kBatches - 1) * kPerBatch;
constexpr std::uint32_t kId = 1;  // any: it names nothing, since the records go nowhere

// The calls as a program makes them, the look at the gate included, whatever that says at the moment.
struct Calls {
  void (*first)(ThreadState&);
  void (*second)(ThreadState&);  // null: one call makes a record
};

void look_at_gate(const ThreadState& thread) {
  const bool open = record::accepts(kId) && record::is_open_to(thread.ring);
  asm volatile("" : : "r"(open));
}

template <StampMode kMode>
__attribute__((noinline)) void begin(ThreadState& thread) {
  look_at_gate(thread);
  if (clock::ticks_are_tsc) return record::begin_open<kMode>(thread, kId);
  record::push_scope(*thread.ring, kId, kMode, 0, 0);
}
template <StampMode kMode>
__attribute__((noinline)) void end(ThreadState& thread) {
  look_at_gate(thread);
  if (clock::ticks_are_tsc) return record::end_open<kMode>(thread, thread.ring, kId);
  record::end_innermost(thread, kMode, clock::ticks());
}
__attribute__((noinline)) void next(ThreadState& thread) {
  look_at_gate(thread);
  if (clock::ticks_are_tsc) return record::next_open(thread, thread.ring, kId);
  end<StampMode::fast>(thread);
  begin<StampMode::fast>(thread);
}
__attribute__((noinline)) void pulse(ThreadState& thread) {
  look_at_gate(thread);
  record::pulse_open(thread, kId);
}

constexpr void (*kBegins[kStampModes])(ThreadState&) = {begin<StampMode::fast>, begin<StampMode::mid>,
                                                        begin<StampMode::hard>};
constexpr void (*kEnds[kStampModes])(ThreadState&) = {end<StampMode::fast>, end<StampMode::mid>, end<StampMode::hard>};

struct Bench {
  alignas(64) unsigned char ring[kChunkBytes];
  shm::ThreadSlot slot;
  std::uint64_t pulses[kId + 1];
  std::uint64_t samples[kSamples], wholes[kBatches - 1];
};
alignas(64) constinit Bench bench{};

void measure(ThreadState& thread, Calls calls, std::uint8_t kind, shm::CostRow& row) {
  dump::RingRecord* records = thread.segment->records();
  for (unsigned batch = 0; batch < kBatches; ++batch) {
    thread.cursor = record::cursor_at(records, kPerBatch);
    const std::uint64_t before = clock::ticks();
    for (unsigned i = 0; i < kPerBatch; ++i) {
      calls.first(thread);
      if (calls.second != nullptr) calls.second(thread);
    }
    const std::uint64_t after = clock::ticks();
    if (batch == 0) continue;
    bench.wholes[batch - 1] = (after - before) / kPerBatch;
    for (unsigned i = 0; i < kPerBatch; ++i)
      bench.samples[(batch - 1) * kPerBatch + i] = dump::number_of(records[i].word);
  }
  std::sort(bench.samples, bench.samples + kSamples);
  std::sort(bench.wholes, bench.wholes + kBatches - 1);
  const auto ranked = [](unsigned percent) { return bench.samples[(kSamples * percent + 99) / 100 - 1]; };
  row = {kind, kSamples, bench.samples[0], ranked(50), ranked(90), ranked(99), ranked(100), bench.wholes[kBatches / 2]};
}

std::uint64_t step_of_clock() {
  std::uint64_t last = clock::ticks();
  for (unsigned i = 0; i < kSamples; ++i) {
    for (unsigned delay = i % 17; delay > 0; --delay) asm volatile("");
    const std::uint64_t now = clock::ticks();
    bench.samples[i] = now - last;
    last = now;
  }
  return clock::step_of(bench.samples, kSamples);
}

}  // namespace

void measure_own_cost() {
  auto* ring = reinterpret_cast<shm::RingChunk*>(bench.ring);
  ring->prepare();
  ThreadState thread{};
  thread.ring = ring;
  thread.slot = &bench.slot;
  thread.segment = &ring->first;
  thread.pulses = bench.pulses;
  shm::Control& control = *record::process.control;
  shm::CostRow* row = control.cost_rows;
  for (unsigned from = 0; from < kStampModes; ++from)
    for (unsigned to = 0; to < kStampModes; ++to) {
      const auto kind = dump::scope_kind(static_cast<StampMode>(from), static_cast<StampMode>(to));
      measure(thread, {kBegins[from], kEnds[to]}, static_cast<std::uint8_t>(kind), *row++);
    }
  begin<StampMode::fast>(thread);
  measure(thread, {next, nullptr}, dump::kCostNext, *row++);
  measure(thread, {pulse, nullptr}, dump::kCostPulse, *row++);
  control.clock_step_ticks = step_of_clock();
  control.cost_rows_measured.store(shm::kCostRows, std::memory_order_release);  // pairs with the collector
}

}  // namespace tl::drain
