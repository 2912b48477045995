// What is rare about scopes: a thread's first one, segments that are full, losses, and ends that do not fit.

#include <cstring>

#include "record/hot.h"
#include "record/process.h"
#include "record/registry.h"
#include "record/thread_life.h"

namespace tl::record {

namespace {

constexpr std::uint32_t kLateScope = 1u << 31;  // on an open scope that began too late to be recorded

void count_loss(shm::ThreadSlot& slot, LossCause cause) {
  slot.lost[static_cast<unsigned>(cause)].fetch_add(1, std::memory_order_relaxed);
}

// Without a slot of its own a thread's losses count for the rest.
void count_loss(LossCause cause) {
  if (process.control == nullptr) return;
  count_loss(tls.life == Life::dying || tls.slot == nullptr ? rest_slot() : *tls.slot, cause);
}

// The loss and its place in time: an episode lasts until a record finds its way into the ring again.
void lose(ThreadState& thread, LossCause cause, std::uint64_t ticks) {
  shm::ThreadSlot& slot = *thread.slot;
  count_loss(slot, cause);
  if (slot.loss_records == 0) slot.loss_from_ticks = ticks;
  ++slot.loss_records;
  slot.loss_to_ticks = ticks;
  slot.loss_cause = static_cast<std::uint32_t>(cause);
}

bool ring_is_real(const shm::RingChunk* ring) { return ring != reinterpret_cast<const shm::RingChunk*>(no_ring); }

enum class Ring { ready, none, lost_no_ring, lost_forked, lost_late };

// Makes this thread able to record, if it may be.
Ring ensure_ring() {
  ThreadState& thread = tls;
  if (ring_is_real(thread.ring)) return Ring::ready;
  const Phase phase = process.phase.load(std::memory_order_acquire);  // pairs with the start
  if (phase == Phase::off) return Ring::none;
  if (thread.busy != 0) return Ring::lost_no_ring;  // a handler, while the thread gets its ring
  if (phase == Phase::forked && !process.start_fork_child()) return Ring::lost_forked;
  if (phase == Phase::finishing || phase == Phase::finished || thread.life == Life::dying) return Ring::lost_late;
  ++thread.busy;
  compiler_fence();
  const bool done = (thread.life != Life::unborn || enter_unprepared(dump::kThreadForeign)) && take_ring();
  compiler_fence();
  --thread.busy;
  return done ? Ring::ready : Ring::lost_no_ring;
}

// Of the begin and the end of a scope that is lost, the begin is counted.
bool ensure_ring_for_begin() {
  switch (ensure_ring()) {
    case Ring::ready:
      return true;
    case Ring::none:
      break;
    case Ring::lost_no_ring:
      count_loss(LossCause::no_ring);
      break;
    case Ring::lost_forked:
      count_loss(LossCause::forked);
      break;
    case Ring::lost_late:
      count_loss(LossCause::late);
      break;
  }
  return false;
}

// The next segment, if what the drain has not taken yet and the new one are within TL_RING, and the pool has one.
bool take_segment(ThreadState& thread) {
  const Phase phase = process.phase.load(std::memory_order_relaxed);
  if (phase != Phase::running && phase != Phase::finishing) return false;
  shm::ThreadSlot& slot = *thread.slot;
  const std::uint64_t made = thread.segment->first_sequence + thread.segment->capacity;
  const std::uint64_t waiting = made - slot.consumer_sequence.load(std::memory_order_relaxed);
  const std::uint32_t capacity = segment_records(shm::kSegmentRecords);
  if (waiting + capacity > config.ring_records) return false;
  if (process.pool_in_use.fetch_add(1, std::memory_order_relaxed) >= config.ring_pool_chunks) {
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

void put_loss_episode(ThreadState& thread) {
  shm::ThreadSlot& slot = *thread.slot;
  if (slot.loss_records == 0 || thread.limit - thread.next < 4) return;
  publish(reserve(thread), slot.loss_from_ticks, dump::record_word(0, dump::RecordKind::loss_from, slot.loss_records));
  publish(reserve(thread), slot.loss_to_ticks, dump::record_word(0, dump::RecordKind::loss_to, slot.loss_cause));
  slot.loss_records = 0;
}

void put_scope(ThreadState& thread, std::uint32_t id, std::uint64_t begin, std::uint64_t end) {
  ++thread.ring->scopes_finished;
  const std::uint64_t duration = end - begin;
  if (duration <= dump::kMaxNumber) {
    put_record(thread, end, dump::record_word(id, dump::RecordKind::scope, duration));
  } else {
    put_record(thread, begin, dump::record_word(id, dump::RecordKind::wide_from, 0));
    put_record(thread, end, dump::record_word(id, dump::RecordKind::wide_to, 0 /* a scope */));
  }
}

// The scope at `place` of the open stack ended although those above it are open: they wait in the displaced list.
void displace_above(ThreadState& thread, std::uint32_t place) {
  shm::RingChunk& ring = *thread.ring;
  for (std::uint32_t i = place + 1; i < ring.depth; ++i) {
    if (ring.displaced_count == kMaxDisplacedScopes) {
      const shm::OpenScope& oldest = ring.displaced[0];
      put_record(thread, oldest.begin_ticks, dump::record_word(oldest.id, dump::RecordKind::abandoned, 0));
      std::memmove(&ring.displaced[0], &ring.displaced[1], (kMaxDisplacedScopes - 1) * sizeof ring.displaced[0]);
      --ring.displaced_count;
    }
    ring.displaced[ring.displaced_count++] = ring.open[i];
  }
  ring.depth = place;
}

}  // namespace

TL_COLD_PATH void publish_cold(std::uint64_t ticks, std::uint64_t word) {
  ThreadState& thread = tls;
  if (thread.slot == nullptr || !ring_is_real(thread.ring)) return count_loss(LossCause::late);
  if (thread.busy > 1) return count_loss(*thread.slot, LossCause::ring_full);
  if (!take_segment(thread)) {
    thread.next = thread.limit;
    return lose(thread, LossCause::ring_full, ticks);
  }
  put_loss_episode(thread);
  publish(reserve(thread), ticks, word);
}

TL_COLD_PATH void begin_cold(std::uint32_t id) {
  if (!is_registered(id)) {
    if (ensure_ring_for_begin()) count_loss(LossCause::bad_id);
    return;
  }
  if (!ensure_ring_for_begin()) return;
  shm::RingChunk* ring = tls.ring;
  if (ring->depth >= kMaxOpenScopes) {
    ++ring->depth;
    return count_loss(*tls.slot, LossCause::too_deep);
  }
  const Phase phase = process.phase.load(std::memory_order_acquire);
  if (phase != Phase::running) {
    // Kept on the stack, so that its end finds it and not another's begin.
    ring->open[ring->depth++].id = id | kLateScope;
    return count_loss(*tls.slot, LossCause::late);
  }
  begin(id);
}

TL_COLD_PATH void end_cold(std::uint32_t id, std::uint64_t ticks) {
  if (!is_registered(id)) return;
  if (ensure_ring() != Ring::ready) return;
  ThreadState& thread = tls;
  shm::RingChunk& ring = *thread.ring;
  if (ring.depth > kMaxOpenScopes) {  // ends of those too deep to be kept come first
    --ring.depth;
    return;
  }
  if (ring.depth != 0 && ring.open[ring.depth - 1].id == (id | kLateScope)) {
    --ring.depth;
    return;
  }
  for (std::uint32_t i = ring.depth; i-- > 0;) {
    if (ring.open[i].id != id) continue;
    const std::uint64_t begin_ticks = ring.open[i].begin_ticks;
    const bool innermost = i + 1 == ring.depth;
    displace_above(thread, i);
    if (!innermost) put_record(thread, ticks, dump::record_word(id, dump::RecordKind::mismatch, 1));
    return put_scope(thread, id, begin_ticks, ticks);
  }
  for (std::uint32_t i = ring.displaced_count; i-- > 0;) {
    if (ring.displaced[i].id != id) continue;
    const std::uint64_t begin_ticks = ring.displaced[i].begin_ticks;
    std::memmove(&ring.displaced[i], &ring.displaced[i + 1], (ring.displaced_count - i - 1) * sizeof ring.displaced[0]);
    --ring.displaced_count;
    put_record(thread, ticks, dump::record_word(id, dump::RecordKind::mismatch, 1));
    return put_scope(thread, id, begin_ticks, ticks);
  }
  put_record(thread, ticks, dump::record_word(id, dump::RecordKind::mismatch, 0));
}

}  // namespace tl::record
