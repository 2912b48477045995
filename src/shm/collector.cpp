#include "shm/collector.h"

#include <cstring>

namespace tl::shm {

using dump::BlockType;

namespace {

constexpr std::uint32_t kMaxNamesPerBlock = 64;  // 16 KiB at most
constexpr std::uint64_t kLargestBlockBytes = 24u << 10;

// In a file of limited size a piece must find its place beside the others.
std::uint64_t piece_bytes(const Control& control) {
  const std::uint64_t part = control.size_limit_bytes / 8;
  if (control.size_limit_bytes == 0 || part > kWriteBytes) return kWriteBytes;
  return part > kLargestBlockBytes ? part : kLargestBlockBytes;
}

}  // namespace

void Collector::open(View view, Sink sink) {
  view_ = view;
  sink_ = sink;
  weight_ = Weight::records;
  refusal_ = Wrote::all;
  drops_ = false;
  writer_ = dump::BlockWriter(buffer_, piece_bytes(view.control()));
  places_count_ = freed_count_ = 0;
  records_pending_ = 0;
  clock_steps_ = {};
  name_chunk_ = name_at_ = names_read_ = 0;
  names_pending_ = view.control().names_written;
  warnings_pending_ = view.control().warnings_written;
}

bool Collector::flush() {
  refusal_ = writer_.size() == 0 ? Wrote::all : sink_.write(sink_.context, writer_.data(), writer_.size(), weight_);
  if (refusal_ != Wrote::all) {
    writer_.clear();
    places_count_ = freed_count_ = 0;
    records_pending_ = 0;
    name_chunk_ = name_at_ = names_read_ = 0;
    names_pending_ = view_.control().names_written;
    warnings_pending_ = view_.control().warnings_written;
    view_.control().cost_rows_written = 0;
    return false;
  }
  writer_.clear();
  for (unsigned i = 0; i < places_count_; ++i) {
    ThreadSlot& slot = *places_[i].slot;
    slot.consumer_segment = places_[i].segment;
    slot.consumer_index = places_[i].index;
    slot.consumer_sequence.store(places_[i].sequence, std::memory_order_relaxed);
  }
  for (unsigned i = 0; i < freed_count_; ++i)
    if (on_segment_free != nullptr) on_segment_free(freed_[i]);
  places_count_ = freed_count_ = 0;
  Control& control = view_.control();
  control.names_written = names_pending_;
  control.warnings_written = warnings_pending_;
  control.records_written += records_pending_;
  records_pending_ = 0;
  return true;
}

bool Collector::put_file_header() {
  dump::FileHeader header{};
  std::memcpy(header.signature, dump::kSignature, sizeof header.signature);
  header.version = dump::kVersion;
  refusal_ = sink_.write(sink_.context, &header, sizeof header, weight_);
  return refusal_ == Wrote::all;
}

bool Collector::put_process() {
  const Control& c = view_.control();
  bool done = put(BlockType::process, dump::kNoThread, 0, c.start_anchor.ticks, [&](ByteWriter& out) {
    out.fixed(c.pid);
    out.fixed(c.parent_pid);
    out.fixed(c.uid);
    out.fixed(c.alloc_mode);
    out.fixed(c.start_unix_ns);
    out.fixed(c.process_start);
    out.raw(c.boot_id, sizeof c.boot_id);
    out.fixed(static_cast<std::uint8_t>(c.clock_source));
    out.fixed(static_cast<std::uint8_t>(c.alloc_observable));
    out.fixed(std::uint16_t{0});
    out.text(c.program);
    out.text(c.executable);
    out.text(c.host);
    out.text(c.alloc_why_not);
    out.fixed(static_cast<std::uint8_t>(c.command_cut));
    const std::uint32_t bytes = c.command_bytes < sizeof c.command ? c.command_bytes : sizeof c.command;
    std::uint16_t arguments = 0;
    for (std::uint32_t i = 0; i < bytes; ++i) arguments = static_cast<std::uint16_t>(arguments + (c.command[i] == 0));
    out.fixed(arguments);
    for (std::uint32_t from = 0, i = 0; i < bytes; ++i) {
      if (c.command[i] != 0) continue;
      out.text(c.command + from, i - from);
      from = i + 1;
    }
    out.fixed(c.pid_namespace);
  });
  if (done && c.rotate_files != 0)
    done = put(BlockType::part, dump::kNoThread, 0, c.part_ticks, [&](ByteWriter& out) {
      out.fixed(c.part);
      out.fixed(c.rotate_files);
      out.fixed(c.records_before_part);
    });
  if (done && c.part > 1) done = put_ended_in_parts();
  if (!done || c.run_pid == 0) return done;
  return put(BlockType::run, dump::kNoThread, 0, c.start_anchor.ticks, [&](ByteWriter& out) {
    out.fixed(c.run_pid);
    out.fixed(c.run_start);
  });
}

bool Collector::put_anchor(const Anchor& anchor) {
  return put(BlockType::anchor, dump::kNoThread, 0, anchor.ticks, [&](ByteWriter& out) {
    out.fixed(anchor.ticks);
    out.fixed(anchor.raw_ns);
    out.fixed(anchor.real_ns);
    out.fixed(anchor.bracket_ticks);
  });
}

bool Collector::put_new_names() {
  const Control& c = view_.control();
  const std::uint32_t count = c.names_count.load(std::memory_order_acquire);  // pairs with the registry's release
  while (names_read_ < count && name_chunk_ < kMaxNameChunks) {
    const unsigned char* bytes = view_.chunk(c.name_chunks[name_chunk_]);
    if (bytes == nullptr) return true;
    std::uint32_t names = 0, at = name_at_;
    const auto length_at = [&](std::uint32_t where) { return where < kChunkBytes ? bytes[where] : 0u; };
    for (; names_read_ + names < count && names < kMaxNamesPerBlock; ++names) {
      const unsigned length = length_at(at);
      if (length == 0 || at + 1 + length > kChunkBytes) break;
      at += 1 + length;
    }
    const bool wanted = names_read_ + names > c.names_written;
    if (names > 0 && wanted) {
      const bool done = put(BlockType::names, dump::kNoThread, names, 0, [&](ByteWriter& out) {
        std::uint32_t from = name_at_;
        for (std::uint32_t i = 0; i < names; ++i) {
          out.fixed(static_cast<std::uint16_t>(names_read_ + i + 1));
          out.raw(bytes + from, 1u + bytes[from]);
          from += 1u + bytes[from];
        }
      });
      if (!done) return false;
    }
    names_read_ += names;
    name_at_ = at;
    if (length_at(at) == 0 || names == 0) {
      if (names_read_ == count) break;
      ++name_chunk_;
      name_at_ = 0;
    }
  }
  if (names_read_ > names_pending_) names_pending_ = names_read_;
  return true;
}

bool Collector::put_new_warnings() {
  const Control& c = view_.control();
  std::uint32_t bytes = c.warnings_bytes.load(std::memory_order_acquire);  // pairs with the writer's release
  if (bytes > sizeof c.warnings) bytes = sizeof c.warnings;
  while (warnings_pending_ < bytes) {
    const char* code = c.warnings + warnings_pending_;
    const std::uint32_t code_bytes = static_cast<std::uint32_t>(strnlen(code, bytes - warnings_pending_)) + 1;
    if (warnings_pending_ + code_bytes >= bytes) return true;
    const char* text = code + code_bytes;
    const std::uint32_t text_bytes =
        static_cast<std::uint32_t>(strnlen(text, bytes - warnings_pending_ - code_bytes)) + 1;
    const bool done = put(BlockType::warning, dump::kNoThread, 0, 0, [&](ByteWriter& out) {
      out.text(code, code_bytes - 1);
      out.text(text, text_bytes - 1);
    });
    if (!done) return false;
    warnings_pending_ += code_bytes + text_bytes;
  }
  return true;
}

// The place from which to read on: where an earlier call left off whose piece the sink has not taken yet, or the
// slot's.
Collector::Place& Collector::pending_place(ThreadSlot& slot) {
  for (unsigned i = 0; i < places_count_; ++i)
    if (places_[i].slot == &slot) return places_[i];
  return places_[places_count_++] = {&slot, slot.consumer_segment, slot.consumer_index,
                                     slot.consumer_sequence.load(std::memory_order_relaxed)};
}

std::uint64_t Collector::sequence_of(const ThreadSlot& slot) const {
  for (unsigned i = 0; i < places_count_; ++i)
    if (places_[i].slot == &slot) return places_[i].sequence;
  return slot.consumer_sequence.load(std::memory_order_relaxed);
}

namespace {

// How many records from the first on are whole and all common, or all not, like the first; at most a block of them.
// Their words are read here, with acquire, before anything else of them: R1, pairs with the thread's release.
std::uint32_t length_of_run(const dump::RingRecord* records, std::uint32_t most, bool& common) {
  if (most > kRecordsPerBlock) most = kRecordsPerBlock;
  std::uint32_t length = 0;
  for (; length < most; ++length) {
    const std::uint64_t word = __atomic_load_n(&records[length].word, __ATOMIC_ACQUIRE);
    if (word == 0) break;
    const bool is_common = dump::is_common(dump::kind_of(word));
    if (length == 0) common = is_common;
    if (is_common != common) break;
  }
  return length;
}

}  // namespace

bool Collector::put_records(ThreadSlot& slot, Until until) {
  const std::uint32_t ring_chunk = slot.ring_chunk.load(std::memory_order_acquire);  // pairs with the thread's release
  if (ring_chunk == 0) return true;
  if (drops_) return pass_over_records(slot, until), true;
  if (places_count_ == kMaxPending && !flush()) return false;
  Place place = pending_place(slot);
  if (place.segment == 0) place.segment = ring_chunk;
  // `place` counts as read from here on: whatever lies before it is in blocks that were made.
  const auto note = [&] { pending_place(slot) = place; };

  while (Segment* segment = view_.segment(slot, place.segment)) {
    const std::uint32_t most = place.segment == ring_chunk ? kFirstSegmentRecords : kSegmentRecords;
    const std::uint32_t capacity = segment->capacity < most ? segment->capacity : most;
    if (place.index >= capacity) {
      const std::uint32_t next =
          segment->next_chunk.load(std::memory_order_acquire);  // R3: pairs with the thread's release
      if (next == 0) break;
      const std::uint32_t left_behind = place.segment;
      place.segment = next;
      place.index = 0;
      note();
      if (left_behind != ring_chunk) freed_[freed_count_++] = left_behind;
      if (freed_count_ == kMaxPending && !flush()) return false;
      continue;
    }
    const dump::RingRecord* records = segment->records() + place.index;
    bool common = false;
    const std::uint32_t length = length_of_run(records, capacity - place.index, common);
    if (length == 0) {
      if (until != Until::end) break;
      std::uint32_t later = place.index + 1;
      while (later < capacity && __atomic_load_n(&segment->records()[later].word, __ATOMIC_ACQUIRE) == 0) ++later;
      if (later == capacity && segment->next_chunk.load(std::memory_order_acquire) == 0) break;
      place.sequence += later - place.index;
      place.index = later;
      note();
      continue;
    }
    if (until == Until::full_blocks && length < kRecordsPerBlock && place.index + length < capacity &&
        __atomic_load_n(&records[length].word, __ATOMIC_RELAXED) == 0)  // or others follow, which it may not wait for
      break;
    if (!put_run(slot, records, length, common, place.sequence)) return false;
    place.index += length;
    place.sequence += length;
    note();
  }
  return true;
}

void Collector::put_columns(const dump::RingRecord* records, std::uint32_t count, std::uint64_t sequence,
                            ByteWriter& out) {
  const Control& c = view_.control();
  if (!clock_steps_.expected() && c.cost_rows_measured.load(std::memory_order_acquire) != 0)  // pairs with the measurer
    clock_steps_.expect(c.clock_step_least, c.clock_step_most);
  clock_steps_.learn(records, count);
  if (!clock_steps_.expected()) return dump::encode_records(records, count, sequence, nullptr, encoder_, out);
  const dump::StepFactors steps = clock_steps_.factors();
  dump::encode_records(records, count, sequence, &steps, encoder_, out);
}

// Straight from the ring, where whole records stay as they are until their segment is given back.
bool Collector::put_run(ThreadSlot& slot, const dump::RingRecord* records, std::uint32_t count, bool common,
                        std::uint64_t sequence) {
  if (slot.version_written == 0 && !put_changed_thread(slot)) return false;
  const BlockType type = common ? BlockType::records : BlockType::events;
  const bool done = put(type, slot.serial, count, records[0].ticks, [&](ByteWriter& out) {
    if (common) return put_columns(records, count, sequence, out);
    out.fixed(sequence);
    out.raw(records, count * sizeof records[0]);
  });
  if (done) records_pending_ += count;
  return done;
}

bool Collector::put_end(dump::EndReason reason, int signal_number, std::uint64_t ticks) {
  weight_ = Weight::last_words;
  const bool done = flush() && put(BlockType::end, dump::kNoThread, 0, ticks, [&](ByteWriter& out) {
                      out.fixed(static_cast<std::uint8_t>(reason));
                      out.fixed(std::uint8_t{0});
                      out.fixed(std::uint16_t{0});
                      out.fixed(static_cast<std::int32_t>(signal_number));
                      out.fixed(view_.control().records_written);  // complete, after the flush
                    });
  const bool written = done && flush();
  weight_ = Weight::records;
  return written;
}

}  // namespace tl::shm
