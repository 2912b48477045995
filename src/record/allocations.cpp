#include "record/allocations.h"

#include "base/log_linear.h"
#include "clock/tsc.h"
#include "record/early_calls.h"
#include "record/gate.h"
#include "record/process.h"
#include "record/thread_life.h"

namespace tl::record {

Life live = Life::counting;
std::uintptr_t counts_ahead_mask = 0;
void (*look_at_results)() = nullptr;

namespace {

// A fresh unit of 1 KiB by number, from the thread's last latency chunk or a new one; 0: none to be had.
std::uint32_t take_unit(shm::ThreadSlot& slot) {
  if (slot.latency_chunk_count == 0 || slot.latency_units_used == shm::kUnitsPerChunk) {
    if (slot.latency_chunk_count == shm::kMaxLatencyChunks) return 0;
    const std::uint32_t chunk = take_chunk();
    if (chunk == 0) return 0;
    slot.latency_chunks[slot.latency_chunk_count++] = chunk;
    slot.latency_units_used = 0;
  }
  return slot.latency_chunks[slot.latency_chunk_count - 1] * shm::kUnitsPerChunk + slot.latency_units_used++;
}

TL_COLD_PATH void* new_unit(shm::ThreadSlot& slot, std::uint32_t& place) {
  const std::uint32_t number = take_unit(slot);
  if (number == 0) return nullptr;
  __atomic_store_n(&place, number, __ATOMIC_RELEASE);  // pairs with the collector
  return view().unit(number);
}

void* unit_of(shm::ThreadSlot& slot, std::uint32_t& place) {
  return TL_LIKELY(place != 0) ? view().unit(place) : new_unit(slot, place);
}

void add_latency(shm::ThreadSlot& slot, AllocCall call, unsigned size_class, std::uint64_t ticks) {
  auto* histogram =
      static_cast<shm::LatencyHistogram*>(unit_of(slot, slot.latency[static_cast<unsigned>(call)][size_class]));
  if (TL_UNLIKELY(histogram == nullptr)) return;
  if (ticks < histogram->min_ticks || histogram->samples == 0) histogram->min_ticks = ticks;
  if (ticks > histogram->max_ticks) histogram->max_ticks = ticks;
  ++histogram->samples;
  histogram->sum_ticks += ticks;
  const std::uint32_t index = log_linear::index_of(ticks);
  const std::uint32_t bucket = index < shm::kLatencyBuckets ? index : shm::kLatencyBuckets - 1;
  auto* counters = static_cast<std::uint64_t*>(unit_of(slot, histogram->units[bucket / shm::kCountersPerUnit]));
  if (TL_UNLIKELY(counters == nullptr))
    ++histogram->unbinned;
  else
    ++counters[bucket % shm::kCountersPerUnit];
}

// Where a call on a thread that has no slot counts; makes the thread live if it can be.
AllocEntry::Where admit() {
  switch (process.phase.load(std::memory_order_acquire)) {  // pairs with the start
    case Phase::off:
      if (gate.switched_off.load(std::memory_order_relaxed) == 0) return AllocEntry::early;
      stand_aside(tls);  // for good: nothing will be counted here
      return AllocEntry::uncounted;
    case Phase::forked:
      return AllocEntry::early;
    case Phase::running:
      break;
    default:
      return AllocEntry::uncounted;
  }
  if ((config.alloc_mode & kAllocCount) == 0) return AllocEntry::uncounted;
  return enter_unprepared() ? AllocEntry::thread : AllocEntry::rest;
}

}  // namespace

AllocEntry enter() {
  ThreadState& thread = tls;
  if (thread.life == Life::aside) return {AllocEntry::uncounted, 0};
  if (thread.life == Life::dying) return {AllocEntry::rest, 0};
  if (thread.life == Life::unborn) {
    if (const AllocEntry::Where where = admit(); where != AllocEntry::thread) return {where, 0};
  }
  stand_aside(thread);
  return {AllocEntry::thread, clock::ticks()};
}

void leave(AllocEntry entry, AllocCall call, std::uint64_t bytes, bool failed) {
  if (TL_LIKELY(entry.where == AllocEntry::thread)) {
    ThreadState& thread = tls;
    const std::uint64_t ticks = clock::ticks() - entry.begin_ticks;
    if (live == Life::timing) add_latency(*thread.slot, call, size_class_of(bytes), ticks);
    if (is_in_scope(thread)) charge_scope(thread, call, bytes, failed, ticks);
    count(*thread.slot, call, bytes, failed);
    go_live(thread);
    return;
  }
  if (entry.where == AllocEntry::early) {
    count_early_call(call, bytes, failed);
    // A fork child that only frees, execs or exits is left alone; one that allocates has something to tell.
    if (call != AllocCall::free_ && process.phase.load(std::memory_order_acquire) == Phase::forked &&
        (config.alloc_mode & kAllocCount) != 0)
      process.start_fork_child();
    return;
  }
  if (entry.where == AllocEntry::uncounted || process.control == nullptr) return;
  shm::ThreadSlot& slot = rest_slot();
  __atomic_fetch_add(&slot.calls[static_cast<unsigned>(call)][size_class_of(bytes)], 1, __ATOMIC_RELAXED);
  if (failed)
    __atomic_fetch_add(&slot.alloc_failed, 1, __ATOMIC_RELAXED);
  else
    __atomic_fetch_add(&slot.alloc_bytes, bytes, __ATOMIC_RELAXED);
}

bool count_so_far(ThreadCounts& out) {
  ThreadState& thread = tls;
  const Phase phase = process.phase.load(std::memory_order_acquire);  // pairs with the start
  if ((config.alloc_mode & kAllocCount) == 0 || phase == Phase::off) return false;
  if (phase == Phase::forked && !process.start_fork_child()) return false;
  if (thread.life == Life::unborn) enter_unprepared();
  if (thread.slot == nullptr || thread.life == Life::dying || process.control->alloc_observable == 0) return false;
  out = {0, thread.slot->alloc_bytes, 0, thread.slot->alloc_failed};
  for (unsigned call = 0; call < kAllocCalls; ++call)
    for (const std::uint64_t calls : thread.slot->calls[call])
      (call == static_cast<unsigned>(AllocCall::free_) ? out.frees : out.calls) += calls;
  return true;
}

}  // namespace tl::record
