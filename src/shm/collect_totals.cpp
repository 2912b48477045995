// The collector's other half: what is written once about a thread, when it or its process has ended.

#include <cstring>

#include "shm/collector.h"

namespace tl::shm {

using dump::BlockType;

namespace {

std::uint64_t read(const std::uint64_t& counter) { return __atomic_load_n(&counter, __ATOMIC_RELAXED); }

void text_of(ByteWriter& out, const char* bytes, std::size_t capacity) { out.text(bytes, strnlen(bytes, capacity)); }

}  // namespace

bool Collector::put_thread(const ThreadSlot& slot) {
  return put(BlockType::thread, slot.serial, 0, slot.start_ticks, [&](ByteWriter& out) {
    out.fixed(slot.tid.load(std::memory_order_relaxed));
    out.fixed(slot.start_ticks);
    out.fixed(slot.end_ticks.load(std::memory_order_relaxed));
    out.fixed(static_cast<std::uint8_t>(slot.flags));
    text_of(out, slot.name, sizeof slot.name);
    text_of(out, slot.pin_asked, sizeof slot.pin_asked);
    text_of(out, slot.pin_applied, sizeof slot.pin_applied);
    out.fixed(slot.pin_error);
  });
}

bool Collector::put_changed_thread(ThreadSlot& slot) {
  const std::uint32_t version = slot.version.load(std::memory_order_acquire);  // pairs with the thread's release
  if (version == slot.version_written) return true;
  if (!put_thread(slot)) return false;
  slot.version_written = version;
  return true;
}

bool Collector::put_totals(ThreadSlot& slot) {
  return put_counters(slot) && put_open_scopes(slot) && put_open_loss(slot) && put_drops(slot) && put_latencies(slot);
}

bool Collector::put_latencies(const ThreadSlot& slot) {
  if (drops_) return true;  // they would take the room that the counts of other threads need
  for (unsigned call = 0; call < kAllocCalls; ++call) {
    for (unsigned size_class = 0; size_class < kSizeClasses; ++size_class) {
      const void* histogram = view_.unit(__atomic_load_n(&slot.latency[call][size_class], __ATOMIC_ACQUIRE));
      if (histogram == nullptr) continue;
      if (!put_latency(slot, call, size_class, *static_cast<const LatencyHistogram*>(histogram))) return false;
    }
  }
  return true;
}

bool Collector::put_counters(const ThreadSlot& slot) {
  const RingChunk* ring = view_.ring(slot.ring_chunk.load(std::memory_order_acquire));
  ThreadCounts counts{};
  if (&slot == view_.slot(0)) counts = not_told_;
  add_counts(slot, counts);
  return put_counts(slot.serial, slot.start_ticks, slot.consumer_sequence.load(std::memory_order_relaxed),
                    ring == nullptr ? 0 : read(ring->scopes_finished), counts);
}

bool Collector::put_ended_in_parts() {
  const Control& c = view_.control();
  return put_counts(dump::kNoThread, c.part_ticks, 0, 0, c.ended_in_parts);
}

// `counts` stand still, which those of a thread need not.
bool Collector::put_counts(std::uint32_t serial, std::uint64_t ticks, std::uint64_t records, std::uint64_t scopes,
                           const ThreadCounts& counts) {
  return put(BlockType::counters, serial, 0, ticks, [&](ByteWriter& out) {
    out.fixed(view_.control().snapshot);
    out.fixed(records);
    out.fixed(scopes);
    out.fixed(static_cast<std::uint8_t>(kLossCauses));
    for (const std::uint64_t lost : counts.lost) out.fixed(lost);
    out.fixed(counts.alloc_failed);
    out.fixed(counts.alloc_bytes);
    std::uint16_t rows = 0;
    for (const auto& of_call : counts.calls)
      for (const std::uint64_t calls : of_call) rows = static_cast<std::uint16_t>(rows + (calls != 0));
    out.fixed(rows);
    for (unsigned call = 0; call < kAllocCalls; ++call)
      for (unsigned k = 0; k < kSizeClasses; ++k) {
        if (counts.calls[call][k] == 0) continue;
        out.fixed(static_cast<std::uint8_t>(call));
        out.fixed(static_cast<std::uint8_t>(k));
        out.varint(counts.calls[call][k]);
      }
  });
}

bool Collector::put_latency(const ThreadSlot& slot, unsigned call, unsigned size_class, const LatencyHistogram& h) {
  std::uint32_t bucket = 0;
  for (bool first = true; first || bucket < kLatencyBuckets; first = false) {
    // Read once, since the thread may go on meanwhile; a part of at most 64 buckets a block keeps the stack small.
    std::uint64_t counts[64];
    std::uint32_t indices[64];
    std::uint16_t n = 0;
    std::uint64_t samples = 0;
    for (; bucket < kLatencyBuckets && n < 64; ++bucket) {
      const auto* counters = static_cast<const std::uint64_t*>(view_.unit(h.units[bucket / kCountersPerUnit]));
      if (counters == nullptr) {
        bucket += kCountersPerUnit - 1 - bucket % kCountersPerUnit;
        continue;
      }
      const std::uint64_t count = read(counters[bucket % kCountersPerUnit]);
      if (count == 0) continue;
      indices[n] = bucket;
      counts[n++] = count;
      samples += count;
    }
    if (n == 0 && !first) return true;
    const std::uint64_t unbinned = first ? h.unbinned : 0;
    const bool done = put(BlockType::latency, slot.serial, 0, slot.start_ticks, [&](ByteWriter& out) {
      out.fixed(view_.control().snapshot);
      out.fixed(static_cast<std::uint8_t>(call));
      out.fixed(static_cast<std::uint8_t>(size_class));
      out.fixed(n);
      out.fixed(samples + unbinned);
      out.fixed(first ? read(h.sum_ticks) : std::uint64_t{0});
      out.fixed(read(h.min_ticks));
      out.fixed(read(h.max_ticks));
      out.fixed(unbinned);
      for (std::uint16_t i = 0; i < n; ++i) {
        out.varint(indices[i] - (i == 0 ? 0 : indices[i - 1]));
        out.varint(counts[i]);
      }
    });
    if (!done) return false;
  }
  return true;
}

bool Collector::put_open_scopes(const ThreadSlot& slot) {
  const RingChunk* ring = view_.ring(slot.ring_chunk.load(std::memory_order_acquire));
  if (ring == nullptr) return true;
  const std::uint32_t depth = ring->depth();
  const auto displaced = ring->displaced_count < kMaxDisplacedScopes ? ring->displaced_count
                                                                     : static_cast<std::uint32_t>(kMaxDisplacedScopes);
  if (depth + displaced == 0) return true;
  const bool ended = slot.state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(SlotState::closing);
  const std::uint64_t discard_before_ticks = ended ? slot.discard_before_ticks : discard_before(view_.control(), *ring);
  return put(BlockType::open_scopes, slot.serial, depth + displaced, slot.start_ticks, [&](ByteWriter& out) {
    const auto add = [&](const OpenScope& scope, const ScopeTimes& times, std::uint32_t flags) {
      const std::uint64_t begin_ticks = scope.begin_high == kFarOff ? times.begin_ticks : scope.begin_ticks();
      out.fixed(begin_ticks);
      out.fixed(open_id(scope, times) <= kMaxScopeIds ? open_id(scope, times) : 0);
      out.fixed(flags | (begin_ticks < discard_before_ticks ? dump::kOpenDiscarded : 0u));
    };
    for (std::uint32_t i = 0; i < depth; ++i) add(ring->open[i], ring->times[i], 0);
    for (std::uint32_t i = 0; i < displaced; ++i)
      add(ring->displaced[i].scope, ring->displaced[i].times, dump::kOpenDisplaced);
  });
}

// The episode of losses that had not found its way into the ring: it stands outside the sequence.
bool Collector::put_open_loss(const ThreadSlot& slot) {
  if (slot.loss_records == 0) return true;
  return put_loss(slot, slot.loss_from_ticks, slot.loss_to_ticks, slot.loss_records, slot.loss_cause);
}

bool Collector::put_loss(const ThreadSlot& slot, std::uint64_t from_ticks, std::uint64_t to_ticks,
                         std::uint64_t records, std::uint64_t cause) {
  return put(BlockType::events, slot.serial, 2, from_ticks, [&](ByteWriter& out) {
    out.fixed(dump::kOutsideTheRing);
    out.fixed(from_ticks);
    out.fixed(dump::record_word(0, dump::RecordKind::loss_from, records));
    out.fixed(to_ticks);
    out.fixed(dump::record_word(0, dump::RecordKind::loss_to, cause));
  });
}

bool Collector::put_cost() {
  Control& control = view_.control();
  const std::uint32_t rows = control.cost_rows_measured.load(std::memory_order_acquire);  // pairs with who measured
  if (rows == control.cost_rows_written || rows > kCostRows) return true;
  const bool done = put(BlockType::cost, dump::kNoThread, rows, control.start_anchor.ticks, [&](ByteWriter& out) {
    out.fixed(control.clock_step_ticks);
    for (std::uint32_t i = 0; i < rows; ++i) {
      const CostRow& row = control.cost_rows[i];
      out.fixed(row.kind);
      out.fixed(row.samples);
      for (const std::uint64_t ticks : {row.min, row.p50, row.p90, row.p99, row.max, row.whole}) out.fixed(ticks);
    }
  });
  if (done) control.cost_rows_written = rows;
  return done;
}

// Records first, for all threads, since they may be many and the others go on meanwhile; the counts of all follow at
// once.
bool Collector::put_threads(bool with_records) {
  ++view_.control().snapshot;
  return put_new_names() && put_new_warnings() && put_cost() && for_each_thread([&](ThreadSlot& slot) {
           return put_thread(slot) && (!with_records || put_records(slot, Until::end));
         }) &&
         flush() && for_each_thread([&](ThreadSlot& slot) {
           return (!with_records || (put_records(slot, Until::end) && flush())) && put_totals(slot);
         }) &&
         flush();
}

bool Collector::put_everything() { return put_threads(true); }
bool Collector::put_standing() { return put_threads(false); }

}  // namespace tl::shm
