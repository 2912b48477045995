// What is rare about putting a record into its ring: full segments, losses, rows of records that belong together.

#include "record/losses.h"
#include "record/process.h"
#include "record/ring.h"
#include "record/thread_life.h"

namespace tl::record {

namespace {

// The next segment, if what the drain has not taken yet and the new one are within TL_RING, and the pool has one.
bool take_segment(ThreadState& thread) {
  const Phase phase = process.phase.load(std::memory_order_relaxed);
  if (phase != Phase::running && phase != Phase::finishing) return false;
  shm::ThreadSlot& slot = *thread.slot;
  const std::uint64_t made = thread.segment->first_sequence + thread.segment->capacity;
  const std::uint64_t waiting = made - slot.consumer_sequence.load(std::memory_order_relaxed);
  const std::uint32_t capacity = segment_records(shm::kSegmentRecords);
  if (waiting + capacity > config.ring_records) return false;
  // Beyond the pool a thread has what it needs to go on once all that it made is taken: a segment to fill.
  if (process.pool_in_use.fetch_add(1, std::memory_order_relaxed) >= config.ring_pool_chunks && waiting != 0) {
    process.pool_in_use.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  const std::uint32_t number = take_chunk();
  if (number == 0) {
    process.pool_in_use.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  auto* segment = reinterpret_cast<shm::Segment*>(view().chunk(number));
  segment->capacity = capacity;
  segment->first_sequence = made;
  thread.segment->next_chunk.store(number, std::memory_order_release);  // R3: pairs with the collector's acquire
  use_segment(thread, *segment);
  if (process.wake_drain != nullptr && !process.sealed.load(std::memory_order_relaxed)) process.wake_drain();
  return true;
}

// Places that a row has taken and cannot use: a reader waits for each to be whole.
void fill_rest(std::uint64_t cursor) {
  for (std::uint32_t room = room_at(cursor), i = 0; i < room; ++i)
    publish(record_at(cursor) + i, 0, dump::record_word(0, dump::RecordKind::nothing, 0));
}

// Makes room for `count` records and takes it; 0: there is none, and the record is lost and counted. A handler that
// comes meanwhile finds no room and counts its own loss.
std::uint64_t reserve_in_new_segment(ThreadState& thread, std::uint32_t count, std::uint64_t ticks) {
  if (thread.slot == nullptr || !is_real(thread.ring)) return count_loss(thread, LossCause::late), 0;
  if (thread.busy > 0) {
    if (is_full(thread.cursor)) thread.cursor = kCursorFull;  // or it would count on until it looks empty
    return count_loss(*thread.slot, LossCause::ring_full), 0;
  }
  ++thread.busy;
  compiler_fence();
  std::uint64_t cursor = reserve(thread, count);  // again, since a handler may have made room
  if (room_at(cursor) < count) {
    fill_rest(cursor);
    cursor = kCursorFull;
    if (take_segment(thread)) {
      put_loss_episode(thread);
      cursor = reserve(thread, count);
    }
    if (room_at(cursor) < count) {  // no segment, or handlers filled it at once
      fill_rest(cursor);
      if (is_full(thread.cursor)) thread.cursor = kCursorFull;
      lose(thread, LossCause::ring_full, ticks);
      cursor = 0;
    }
  }
  compiler_fence();
  --thread.busy;
  return cursor;
}

}  // namespace

void count_lost_while_starting() {
  rest_slot().lost[static_cast<unsigned>(LossCause::forked)].fetch_add(
      process.lost_while_starting.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
}

void count_loss(shm::ThreadSlot& slot, LossCause cause) {
  slot.lost[static_cast<unsigned>(cause)].fetch_add(1, std::memory_order_relaxed);
}

void count_loss(ThreadState& thread, LossCause cause) {
  if (process.control == nullptr || process.starting.load(std::memory_order_acquire)) {  // pairs with the start's end
    process.lost_while_starting.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  count_loss(thread.life == Life::dying || thread.slot == nullptr ? rest_slot() : *thread.slot, cause);
}

void lose(ThreadState& thread, LossCause cause, std::uint64_t ticks) {
  shm::ThreadSlot& slot = *thread.slot;
  count_loss(slot, cause);
  if (slot.loss_records == 0) slot.loss_from_ticks = ticks;
  ++slot.loss_records;
  slot.loss_to_ticks = ticks;
  slot.loss_cause = static_cast<std::uint32_t>(cause);
}

void put_loss_episode(ThreadState& thread) {
  shm::ThreadSlot& slot = *thread.slot;
  if (slot.loss_records == 0 || room_at(thread.cursor) < 4) return;
  const std::uint64_t cursor = reserve(thread, 2);
  if (room_at(cursor) < 2) return fill_rest(cursor);  // a handler has filled it
  dump::RingRecord* pair = record_at(cursor);
  publish(pair, slot.loss_from_ticks, dump::record_word(0, dump::RecordKind::loss_from, slot.loss_records));
  publish(pair + 1, slot.loss_to_ticks, dump::record_word(0, dump::RecordKind::loss_to, slot.loss_cause));
  slot.loss_records = 0;
}

TL_COLD_PATH void publish_cold(ThreadState& thread, std::uint64_t ticks, std::uint64_t word) {
  if (const std::uint64_t cursor = reserve_in_new_segment(thread, 1, ticks); cursor != 0)
    publish(record_at(cursor), ticks, word);
}

TL_COLD_PATH void put_row(ThreadState& thread, const dump::RingRecord* records, std::uint32_t count) {
  std::uint64_t cursor = reserve(thread, count);
  if (room_at(cursor) < count) {
    fill_rest(cursor);
    cursor = reserve_in_new_segment(thread, count, records[count - 1].ticks);
  }
  if (cursor == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) publish(record_at(cursor) + i, records[i].ticks, records[i].word);
}

TL_COLD_PATH void put_wide(ThreadState& thread, std::uint32_t id, dump::RecordKind kind, std::uint64_t from,
                           std::uint64_t ticks) {
  const dump::RingRecord row[] = {
      {from, dump::record_word(id, dump::RecordKind::wide_from, 0)},
      {ticks, dump::record_word(id, dump::RecordKind::wide_to, static_cast<std::uint8_t>(kind))}};
  put_row(thread, row, 2);
}

}  // namespace tl::record
