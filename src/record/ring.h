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

// `last` takes the old value. True: `place` held what `last` said, and holds `now`. One unlocked instruction.
TL_HOT_PATH bool replace(std::uint64_t& place, std::uint64_t& last, std::uint64_t now) {
#if defined(__x86_64__)
  bool done;
  asm("cmpxchgq %3, %1" : "=@ccz"(done), "+m"(place), "+a"(last) : "r"(now));
  return done;
#else
  return __atomic_compare_exchange_n(&place, &last, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

// A cursor is the address of the next record above 16 bits that count up to an overflow when no more fit, which makes
// the address odd: so one instruction takes a place together with the knowledge of whether it is one. Two words would
// have to be kept together against handlers (a counter around them cost 2 ns a pair with fenced stamps).
constexpr std::uint64_t kCursorStep = sizeof(dump::RingRecord) << 16 | 1;

inline std::uint64_t cursor_at(const dump::RingRecord* record, std::uint32_t room) {
  return (reinterpret_cast<std::uint64_t>(record) << 16) + (65536 - room);
}
inline bool is_full(std::uint64_t cursor) { return (cursor & kCursorFull) != 0; }
inline std::uint32_t room_at(std::uint64_t cursor) {
  return is_full(cursor) ? 0 : 65536 - static_cast<std::uint32_t>(cursor & 0xffff);
}
inline dump::RingRecord* record_at(std::uint64_t cursor) { return reinterpret_cast<dump::RingRecord*>(cursor >> 16); }

// Takes the places of `count` records: those from the cursor that it returns, as far as that has room.
TL_HOT_PATH std::uint64_t reserve(ThreadState& thread, std::uint32_t count = 1) {
  std::uint64_t step = count * kCursorStep;
#if defined(__x86_64__)
  asm("xaddq %0, %1" : "+r"(step), "+m"(thread.cursor));
  return step;
#else
  return __atomic_fetch_add(&thread.cursor, step, __ATOMIC_RELAXED);
#endif
}

// The drain has just zeroed this memory on another processor: it takes longer to get a line from there than to fill it.
constexpr std::uint32_t kRecordsAhead = 64;
TL_HOT_PATH void prepare_to_write(const dump::RingRecord* record) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*record));
#else
  __builtin_prefetch(record, 1);
#endif
}

// R1: the word goes last; pairs with the consumer's acquire.
TL_HOT_PATH void publish(dump::RingRecord* record, std::uint64_t ticks, std::uint64_t word) {
  record->ticks = ticks;
  __atomic_store_n(&record->word, word, __ATOMIC_RELEASE);
}

// When there was no place: takes a new segment and publishes there, or counts a loss.
void publish_cold(ThreadState& thread, std::uint64_t ticks, std::uint64_t word);

// False: there was no place.
TL_HOT_PATH bool put_hot(ThreadState& thread, std::uint64_t ticks, std::uint64_t word) {
  const std::uint64_t cursor = reserve(thread);
  if (TL_UNLIKELY(is_full(cursor))) return false;
  dump::RingRecord* record = record_at(cursor);
  prepare_to_write(record + kRecordsAhead);
  publish(record, ticks, word);
  return true;
}
TL_HOT_PATH void put_record(ThreadState& thread, std::uint64_t ticks, std::uint64_t word) {
  if (!put_hot(thread, ticks, word)) publish_cold(thread, ticks, word);
}

// Records that belong together, at most kMaxRow of them: all of them side by side, or none and one loss.
constexpr std::uint32_t kMaxRow = 32;
void put_row(ThreadState& thread, const dump::RingRecord* records, std::uint32_t count);

// One whose number does not fit, as two records: `from` is the begin of a duration that ends at `ticks`, or a value.
void put_wide(ThreadState& thread, std::uint32_t id, dump::RecordKind kind, std::uint64_t from, std::uint64_t ticks);

}  // namespace tl::record
