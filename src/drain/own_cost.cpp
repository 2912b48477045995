#include "drain/own_cost.h"

#include <algorithm>

#include "clock/step.h"
#include "dump/clock_steps.h"
#include "record/hot.h"
#include "record/open_scopes.h"
#include "record/process.h"

namespace tl::drain {

namespace {

using record::ThreadState;

constexpr unsigned kMostBatches = 8, kPerBatch = 64;
constexpr unsigned kMostSamples = kMostBatches * kPerBatch;
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
  record::pulse_at(thread, thread.pulses[kId], kId, clock::ticks);
}

constexpr void (*kBegins[kStampModes])(ThreadState&) = {begin<StampMode::fast>, begin<StampMode::mid>,
                                                        begin<StampMode::hard>};
constexpr void (*kEnds[kStampModes])(ThreadState&) = {end<StampMode::fast>, end<StampMode::mid>, end<StampMode::hard>};

struct Bench {
  alignas(64) unsigned char ring[kChunkBytes];
  shm::ThreadSlot slot;
  std::uint64_t pulses[kId + 1];
  std::uint64_t samples[kMostSamples], wholes[kMostBatches];
};
alignas(64) constinit Bench bench{};

template <unsigned kBatches>
void measure(ThreadState& thread, Calls calls, std::uint8_t kind, shm::CostRow& row) {
  constexpr unsigned kSamples = kBatches * kPerBatch;
  dump::RingRecord* records = thread.segment->records();
  for (unsigned batch = 0; batch <= kBatches; ++batch) {  // the first one warms up and does not count
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
  std::sort(bench.wholes, bench.wholes + kBatches);
  const auto ranked = [](unsigned percent) { return bench.samples[(kSamples * percent + 99) / 100 - 1]; };
  row = {kind, kSamples, bench.samples[0], ranked(50), ranked(90), ranked(99), ranked(100), bench.wholes[kBatches / 2]};
}

template <unsigned kBatches>
void measure_all() {
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
      measure<kBatches>(thread, {kBegins[from], kEnds[to]}, static_cast<std::uint8_t>(kind), *row++);
    }
  begin<StampMode::fast>(thread);
  measure<kBatches>(thread, {next, nullptr}, dump::kCostNext, *row++);
  measure<kBatches>(thread, {pulse, nullptr}, dump::kCostPulse, *row++);
  control.clock_step_ticks = clock::measured_step(clock::ticks, bench.samples, kMostSamples);
  const dump::ClockSteps steps = dump::measured_steps(control.clock_step_ticks, clock::ticks);
  control.clock_step_least = steps.least();
  control.clock_step_most = steps.most();
  control.cost_rows_measured.store(shm::kCostRows, std::memory_order_release);  // pairs with the collector
}

}  // namespace

void measure_own_cost(bool briefly) { briefly ? measure_all<1>() : measure_all<kMostBatches>(); }

}  // namespace tl::drain
