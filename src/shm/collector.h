// Shared memory into blocks: the one place that turns slots, rings, names and counters into a dump. Used by the drain
// thread while the process lives, by the exit hook of a process without one, and for a dead process's leftovers.
// It does not allocate, lock or throw; its memory is the caller's (about 70 KiB: static, not on a thread's stack).
#pragma once

#include <cstdint>

#include "dump/block.h"
#include "dump/records_codec.h"
#include "shm/sink.h"
#include "shm/view.h"

namespace tl::shm {

// How much of a ring is taken. A block costs about 60 bytes beside its records, so while more of them come only full
// ones are made. The end: the thread writes no more, so a record that was begun and never finished is passed over.
enum class Until { full_blocks, last_record, end };

// Invariant: a slot's consumer_* place moves only after the sink has taken the records before it, so whoever comes
// next, here or in another process, finds each record either in the dump or in the ring (or, after a death in between,
// in both: the reader tells by the sequence).
class Collector {
 public:
  void open(View view, Sink sink);

  // Each returns false when the sink refused a piece; records in it stay in their rings. `refusal` says why.
  bool put_file_header();
  bool put_process();  // and which part of the dump the file is, if it is one of several
  bool put_anchor(const Anchor& anchor);
  bool put_new_names();
  bool put_new_warnings();
  bool put_cost();  // once it is measured
  // The records of a thread that are whole and not written yet, as far as `until`.
  bool put_records(ThreadSlot& slot, Until until);
  // One past the last record of the thread that was put, written or not.
  std::uint64_t sequence_of(const ThreadSlot& slot) const;
  bool put_thread(const ThreadSlot& slot);
  bool put_changed_thread(ThreadSlot& slot);  // if it has changed since it was put
  // Counters, latencies and open scopes of a thread that has ended or whose process has.
  bool put_totals(ThreadSlot& slot);
  // Names, warnings and every thread to its end: what a process's end asks for.
  bool put_everything();
  // The same of a process that lives on, whose rings are its own drain's: names, warnings, threads, totals; no records.
  bool put_standing();
  bool put_end(dump::EndReason reason, int signal_number, std::uint64_t ticks);
  bool flush();

  Wrote refusal() const { return refusal_; }
  // While the dump has no room for records they are passed over and counted as lost.
  void drop_records(bool drop) { drops_ = drop; }
  bool drops_records() const { return drops_; }
  // The same as put_everything() meanwhile: what there is room for of counts, and of the rest one sum.
  bool put_last_words();
  void put_urgent_warnings();
  void put_urgent_anchor(const Anchor& anchor);
  // The counts of a thread that has ended meanwhile or, where there is no room for them (false), their addition to
  // those of no thread in particular.
  bool put_or_add_counts(ThreadSlot& slot);
  // A thread that has ended is told of: later files of the dump begin with the sum of all such.
  void note_ended(const ThreadSlot& slot);
  // What was dropped of a thread's records since it was told last, as a loss.
  bool put_drops(ThreadSlot& slot);

  // Told of each segment that was read to its end and written, so that its owner can use it again. May be null.
  void (*on_segment_free)(std::uint32_t chunk) = nullptr;

 private:
  struct Place {
    ThreadSlot* slot;
    std::uint32_t segment, index;
    std::uint64_t sequence;
  };
  static constexpr unsigned kMaxPending = 64;

  // `fill` writes the payload; where the block does not fit beside those that wait, they go first.
  template <class Fill>
  bool put(dump::BlockType type, std::uint32_t thread, std::uint32_t count, std::uint64_t ticks, Fill fill) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      fill(writer_.begin(type, thread, count, ticks));
      if (writer_.end()) return true;
      if (!flush()) return false;
    }
    return false;
  }
  Place& pending_place(ThreadSlot& slot);
  void put_columns(const dump::RingRecord* records, std::uint32_t count, std::uint64_t sequence, ByteWriter& out);
  bool put_run(ThreadSlot& slot, const dump::RingRecord* records, std::uint32_t count, bool common,
               std::uint64_t sequence);
  bool put_counts_alone(ThreadSlot& slot, Weight weight);
  void pass_over_records(ThreadSlot& slot, Until until);
  bool put_counters(const ThreadSlot& slot);
  bool put_ended_in_parts();
  bool put_counts(std::uint32_t serial, std::uint64_t ticks, std::uint64_t records, std::uint64_t scopes,
                  const ThreadCounts& counts);
  static void add_counts(const ThreadSlot& slot, ThreadCounts& to);
  bool put_latencies(const ThreadSlot& slot);
  bool put_latency(const ThreadSlot& slot, unsigned call, unsigned size_class, const LatencyHistogram& histogram);
  bool put_open_scopes(const ThreadSlot& slot);
  bool put_open_loss(const ThreadSlot& slot);
  bool put_loss(const ThreadSlot& slot, std::uint64_t from_ticks, std::uint64_t to_ticks, std::uint64_t records,
                std::uint64_t cause);
  bool put_threads(bool with_records);
  // All that are alive or not written yet, until `each` says false.
  template <class Each>
  bool for_each_thread(Each each) {
    // Pairs with the slot's taker.
    const std::uint32_t slots = view_.control().slots_used.load(std::memory_order_acquire);
    for (std::uint32_t i = 0; i < slots && i < kMaxSlots; ++i) {
      ThreadSlot* slot = view_.slot(i);
      if (slot == nullptr) continue;
      const auto state = static_cast<SlotState>(slot->state.load(std::memory_order_acquire));  // pairs with the thread
      if ((state == SlotState::live || state == SlotState::closing) && !each(*slot)) return false;
    }
    return true;
  }

  View view_{nullptr};
  Sink sink_{};
  dump::BlockWriter writer_{nullptr, 0};
  Weight weight_ = Weight::records;  // of what is put now
  Wrote refusal_ = Wrote::all;
  bool drops_ = false;
  Place places_[kMaxPending]{};
  std::uint32_t freed_[kMaxPending]{};
  unsigned places_count_ = 0, freed_count_ = 0;
  std::uint64_t records_pending_ = 0;
  ThreadCounts not_told_{};  // of threads that go on, for whose own counts there was no room
  std::uint32_t names_pending_ = 0, warnings_pending_ = 0;
  std::uint32_t name_chunk_ = 0, name_at_ = 0;  // where the next unwritten name lies
  std::uint32_t names_read_ = 0;
  dump::EncoderMemory encoder_{};
  dump::ClockSteps clock_steps_;
  unsigned char buffer_[kWriteBytes]{};
};

}  // namespace tl::shm
