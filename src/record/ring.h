// The producer's side of a ring (its invariants stand in shm/layout.h). One producer, its thread, and whatever signal
// handlers interrupt it: a record is reserved by one unlocked instruction, so a handler that records in between takes
// the next place, and neither is lost or torn.
#pragma once

#include <atomic>

#include "base/attributes.h"
#include "record/tls.h"

namespace tl::record {

// Against signal handlers, which run on this very thread, the order of the instructions is all that is needed.
TL_HOT_PATH void compiler_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// The place for one record; at or above `limit` when the segment is full.
TL_HOT_PATH dump::RingRecord* reserve(ThreadState& thread) {
#if defined(__x86_64__)
  std::uint64_t step = sizeof(dump::RingRecord);
  asm("xaddq %0, %1" : "+r"(step), "+m"(thread.next));
  return reinterpret_cast<dump::RingRecord*>(step);
#else
  return __atomic_fetch_add(&thread.next, sizeof(dump::RingRecord), __ATOMIC_RELAXED);
#endif
}

// R1: the word goes last; pairs with the consumer's acquire.
TL_HOT_PATH void publish(dump::RingRecord* record, std::uint64_t ticks, std::uint64_t word) {
  record->ticks = ticks;
  __atomic_store_n(&record->word, word, __ATOMIC_RELEASE);
}

// When there is no place: takes a new segment and publishes there, or counts a loss. `busy` counts the caller.
void publish_cold(std::uint64_t ticks, std::uint64_t word);

TL_HOT_PATH void put_record(ThreadState& thread, std::uint64_t ticks, std::uint64_t word) {
  ++thread.busy;
  compiler_fence();  // `limit` and what `reserve` gave are of one segment, since no handler changes it now
  dump::RingRecord* record = reserve(thread);
  if (TL_UNLIKELY(record >= thread.limit))
    publish_cold(ticks, word);
  else
    publish(record, ticks, word);
  compiler_fence();
  --thread.busy;
}

}  // namespace tl::record
