// The collector where the dump has no room: records are passed over, counted, and told as a loss.

#include "shm/collector.h"

namespace tl::shm {

using dump::BlockType;
using dump::RecordKind;

namespace {

// Whether it stands for a call of the program's; others only belong to one that does, or tell of losses.
bool stands_for_call(RecordKind kind) {
  return dump::is_scope(kind) || kind == RecordKind::span || kind == RecordKind::pulse || kind == RecordKind::value ||
         kind == RecordKind::wide_to || kind == RecordKind::mark;
}

constexpr std::uint64_t kMostInRecord = dump::kMaxNumber;

// What of a dead thread's ring comes after a record that was begun and never finished: the place of the next whole one,
// or the segment's end if the thread went on in another; 0: nothing.
std::uint32_t next_whole(Segment& segment, std::uint32_t index, std::uint32_t capacity) {
  while (index < capacity && __atomic_load_n(&segment.records()[index].word, __ATOMIC_ACQUIRE) == 0) ++index;
  return index == capacity && segment.next_chunk.load(std::memory_order_acquire) == 0 ? 0 : index;
}

void pass_over_loss(ThreadSlot& slot, const dump::RingRecord& record, std::uint64_t word) {
  const std::uint64_t number = dump::number_of(word);
  if (dump::kind_of(word) == RecordKind::loss_from) {
    slot.passed_from_ticks = record.ticks;
    slot.passed_records = number;
  } else if (dump::kind_of(word) == RecordKind::loss_to && number < kLossCauses) {
    PassedLosses& sum = slot.passed[number];
    if (sum.records == 0) sum.from_ticks = slot.passed_from_ticks;
    sum.records += slot.passed_records;
    sum.to_ticks = record.ticks;
    slot.passed_records = 0;
  }
}

}  // namespace

// Nothing of this slot is pending: the last flush was refused, or took all.
void Collector::pass_over_records(ThreadSlot& slot, Until until) {
  const std::uint32_t ring_chunk = slot.ring_chunk.load(std::memory_order_acquire);  // pairs with the thread's release
  if (ring_chunk == 0) return;
  std::uint32_t number = slot.consumer_segment == 0 ? ring_chunk : slot.consumer_segment;
  std::uint32_t index = slot.consumer_index;
  std::uint64_t passed = 0;
  while (Segment* segment = view_.segment(slot, number)) {
    const std::uint32_t most = number == ring_chunk ? kFirstSegmentRecords : kSegmentRecords;
    const std::uint32_t capacity = segment->capacity < most ? segment->capacity : most;
    if (index >= capacity) {
      const std::uint32_t next = segment->next_chunk.load(std::memory_order_acquire);  // R3
      if (next == 0) break;
      slot.consumer_segment = next;
      if (number != ring_chunk && on_segment_free != nullptr) on_segment_free(number);
      number = next;
      index = 0;
      continue;
    }
    const dump::RingRecord& record = segment->records()[index];
    const std::uint64_t word = __atomic_load_n(&record.word, __ATOMIC_ACQUIRE);  // R1: pairs with the thread's release
    if (word == 0) {
      const std::uint32_t later = until == Until::end ? next_whole(*segment, index, capacity) : 0;
      if (later == 0) break;
      passed += later - index;
      index = later;
      continue;
    }
    ++index;
    ++passed;
    pass_over_loss(slot, record, word);
    if (!stands_for_call(dump::kind_of(word))) continue;
    if (slot.drop_calls == 0) slot.drop_from_ticks = record.ticks;
    slot.drop_to_ticks = record.ticks;
    ++slot.drop_calls;
    ++slot.dropped_calls;
  }
  slot.drop_records += passed;
  slot.consumer_segment = number;
  slot.consumer_index = index;
  slot.consumer_sequence.store(slot.consumer_sequence.load(std::memory_order_relaxed) + passed,
                               std::memory_order_relaxed);
}

bool Collector::put_drops(ThreadSlot& slot) {
  while (slot.drop_records != 0) {
    const std::uint64_t records = slot.drop_records < kMostInRecord ? slot.drop_records : kMostInRecord;
    const std::uint64_t calls = slot.drop_calls < kMostInRecord ? slot.drop_calls : kMostInRecord;
    const auto cause = static_cast<std::uint64_t>(LossCause::disk_full);
    const bool done =
        put(BlockType::events, slot.serial, calls == 0 ? 1 : 3, slot.drop_from_ticks, [&](ByteWriter& out) {
          out.fixed(dump::kOutsideTheRing);
          out.fixed(slot.drop_from_ticks);
          out.fixed(dump::record_word(0, RecordKind::dropped, records));
          if (calls == 0) return;
          out.fixed(slot.drop_from_ticks);
          out.fixed(dump::record_word(0, RecordKind::loss_from, calls));
          out.fixed(slot.drop_to_ticks);
          out.fixed(dump::record_word(0, RecordKind::loss_to, cause));
        });
    if (!done || !flush()) return false;
    slot.drop_records -= records;
    slot.drop_calls -= calls;
  }
  for (unsigned cause = 0; cause < kLossCauses; ++cause) {
    PassedLosses& sum = slot.passed[cause];
    if (sum.records == 0) continue;
    const std::uint64_t records = sum.records < kMostInRecord ? sum.records : kMostInRecord;
    if (!put_loss(slot, sum.from_ticks, sum.to_ticks, records, cause) || !flush()) return false;
    sum.records -= records;
  }
  return true;
}

void Collector::add_counts(const ThreadSlot& slot, ThreadCounts& to) {
  const auto add = [](std::uint64_t& sum, const std::uint64_t& from) {
    sum += __atomic_load_n(&from, __ATOMIC_RELAXED);
  };
  for (unsigned cause = 0; cause < kLossCauses; ++cause)
    to.lost[cause] += slot.lost[cause].load(std::memory_order_relaxed);
  to.lost[static_cast<unsigned>(LossCause::disk_full)] += slot.dropped_calls;
  add(to.alloc_failed, slot.alloc_failed);
  add(to.alloc_bytes, slot.alloc_bytes);
  for (unsigned call = 0; call < kAllocCalls; ++call)
    for (unsigned k = 0; k < kSizeClasses; ++k) add(to.calls[call][k], slot.calls[call][k]);
}

bool Collector::put_or_add_counts(ThreadSlot& slot) {
  if (put_counts_alone(slot, Weight::ended_threads)) return true;
  ThreadCounts counts{};
  add_counts(slot, counts);
  ThreadSlot& rest = *view_.slot(0);
  const auto add = [](std::uint64_t& to, std::uint64_t n) { __atomic_fetch_add(&to, n, __ATOMIC_RELAXED); };
  for (unsigned cause = 0; cause < kLossCauses; ++cause)
    rest.lost[cause].fetch_add(counts.lost[cause], std::memory_order_relaxed);
  add(rest.alloc_failed, counts.alloc_failed);
  add(rest.alloc_bytes, counts.alloc_bytes);
  for (unsigned call = 0; call < kAllocCalls; ++call)
    for (unsigned k = 0; k < kSizeClasses; ++k) add(rest.calls[call][k], counts.calls[call][k]);
  return false;
}

void Collector::note_ended(const ThreadSlot& slot) {
  if (view_.control().rotate_files != 0) add_counts(slot, view_.control().ended_in_parts);
}

bool Collector::put_counts_alone(ThreadSlot& slot, Weight weight) {
  weight_ = weight;
  // In one piece: counts of what was dropped without saying that it was would leave a gap unexplained.
  const bool done = put_thread(slot) && put_counters(slot) && put_drops(slot) && flush();
  if (done && put_open_scopes(slot) && put_open_loss(slot)) flush();
  weight_ = Weight::records;
  return done;
}

void Collector::put_urgent_warnings() {
  weight_ = Weight::ended_threads;
  if (put_new_warnings()) flush();
  weight_ = Weight::records;
}

void Collector::put_urgent_anchor(const Anchor& anchor) {
  weight_ = Weight::ended_threads;
  if (put_anchor(anchor)) flush();
  weight_ = Weight::records;
}

bool Collector::put_last_words() {
  ++view_.control().snapshot;
  ThreadSlot* const rest = view_.slot(0);  // which takes up what follows
  if (rest == nullptr) return false;
  not_told_ = {};
  for_each_thread([&](ThreadSlot& slot) {
    pass_over_records(slot, Until::end);
    if (&slot != rest && !put_counts_alone(slot, Weight::totals)) add_counts(slot, not_told_);
    return true;
  });
  weight_ = Weight::totals;
  if (put_new_names()) flush();  // of scopes that are open still; the others stand before their records
  if (put_cost()) flush();
  weight_ = Weight::last_words;
  const bool done = put_thread(*rest) && put_totals(*rest) && put_new_warnings() && flush();
  weight_ = Weight::records;
  not_told_ = {};
  return done;
}

}  // namespace tl::shm
