// The longer ways of the calls in hot.h: a thread's first record, a gate that is closed, and what takes more than one
// common record.

#include <cstring>

#include "record/count_ahead.h"
#include "record/hot.h"
#include "record/losses.h"
#include "record/open_scopes.h"
#include "record/process.h"
#include "record/registry.h"
#include "record/requests.h"
#include "record/thread_life.h"

namespace tl::record {

namespace {

using dump::RecordKind;

// For the length of a call: what it holds of the thread's stack of scopes must not be moved by a handler's call, and a
// handler that forks must leave it where it is.
class InCold {
 public:
  explicit InCold(ThreadState& thread) : thread_(thread) {
    ++thread.in_cold;
    compiler_fence();
  }
  ~InCold() {
    compiler_fence();
    settle_count_ahead(thread_);
    --thread_.in_cold;
  }
  InCold(const InCold&) = delete;
  InCold& operator=(const InCold&) = delete;

 private:
  ThreadState& thread_;
};

constexpr std::uint64_t kPatienceForEndNs = 100'000'000;

// A call that comes while the end is being written, or just after it, is not begun before the process has ended; or
// goes on, if that was an exec that failed. It does not wait for long: what the process does last of all may need this
// thread.
Phase wait_for_end(ThreadState& thread) {
  const std::uint32_t end = process.ends.load(std::memory_order_relaxed);
  const bool may_wait = process.ended_by.load(std::memory_order_relaxed) != &thread && thread.end_waited_for != end &&
                        !process.sealed.load(std::memory_order_relaxed);
  if (may_wait) {
    wait_while(Phase::finishing, kPatienceForEndNs);
    wait_while(Phase::finished, kPatienceForEndNs);
    if (process.phase.load(std::memory_order_acquire) == Phase::finished) thread.end_waited_for = end;
  }
  return process.phase.load(std::memory_order_acquire);
}

enum class Entry { open, silent, lost_no_ring, lost_forked, lost_late };

// Makes this thread able to record, if it may be. Signal-safe.
Entry enter(ThreadState& thread) {
  Phase phase = process.phase.load(std::memory_order_acquire);  // pairs with the start
  if (phase == Phase::finishing || phase == Phase::finished) phase = wait_for_end(thread);
  if (phase == Phase::off) return process.starting.load(std::memory_order_relaxed) ? Entry::lost_forked : Entry::silent;
  if (gate.paused.load(std::memory_order_relaxed) != 0) return Entry::silent;
  if (is_real(thread.ring)) {
    if (thread.in_cold == 1) meet_pauses(thread);
    return Entry::open;
  }
  if (thread.busy != 0) return Entry::lost_no_ring;  // a handler, while the thread gets its ring
  if (phase == Phase::forked && !process.start_fork_child()) return Entry::lost_forked;
  if (phase == Phase::finishing || phase == Phase::finished || thread.life == Life::dying) return Entry::lost_late;
  if (is_paused_before_first_record()) return Entry::silent;
  return acquire_ring(thread) ? Entry::open : Entry::lost_no_ring;
}

// For what is lost when the thread cannot record; of the begin and the end of a scope it is the begin.
bool enter_or_lose(ThreadState& thread) {
  switch (enter(thread)) {
    case Entry::open:
      return true;
    case Entry::silent:
      break;
    case Entry::lost_no_ring:
      count_loss(thread, LossCause::no_ring);
      break;
    case Entry::lost_forked:
      count_loss(thread, LossCause::forked);
      break;
    case Entry::lost_late:
      count_loss(thread, LossCause::late);
      break;
  }
  return false;
}

// The same for an id that may be none, and for a process whose end is being written.
bool enter_with(ThreadState& thread, std::uint32_t id) {
  if (!enter_or_lose(thread)) return false;
  if (!is_registered(id)) return count_loss(*thread.slot, LossCause::bad_id), false;
  if (process.phase.load(std::memory_order_acquire) == Phase::running) return true;
  return count_loss(*thread.slot, LossCause::late), false;
}

// Begins a scope on a thread that can record. `begin_ticks` 0: stamped here.
void begin_scope(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t begin_ticks,
                 std::uint64_t intended_ticks) {
  shm::RingChunk& ring = *thread.ring;
  if (!is_registered(id)) return count_loss(*thread.slot, LossCause::bad_id);
  if (ring.open_bytes >= sizeof ring.open && (ring.too_deep > 0 || thread.in_cold > 1 || !drop_stale(ring))) {
    ++ring.too_deep;
    ring.open_bytes = sizeof ring.open + sizeof ring.above;
    return count_loss(*thread.slot, LossCause::too_deep);
  }
  if (process.phase.load(std::memory_order_acquire) != Phase::running) {
    push_late_scope(ring, id);
    return count_loss(*thread.slot, LossCause::late);
  }
  push_scope(ring, id, mode, begin_ticks, intended_ticks);
}

}  // namespace

TL_COLD_PATH void begin_cold(ThreadState& thread, std::uint32_t id, StampMode mode) {
  const InCold in_cold(thread);
  if (is_paused()) return;
  if (enter_or_lose(thread)) begin_scope(thread, id, mode, 0, 0);
}

TL_COLD_PATH void begin_at(ThreadState& thread, std::uint32_t id, std::uint64_t intended_ticks) {
  const InCold in_cold(thread);
  if (is_paused()) return;
  if (enter_or_lose(thread)) begin_scope(thread, id, StampMode::fast, 0, intended_ticks);
}

TL_COLD_PATH void end_closed(ThreadState& thread, std::uint32_t id, StampMode mode) {
  if (is_paused()) return;
  end_cold(thread, id, mode, clock::ticks_at_end(mode));
}

TL_COLD_PATH void end_cold(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t ticks) {
  const InCold in_cold(thread);
  if (is_registered(id) && enter(thread) == Entry::open) end_open_scope(thread, id, mode, ticks);
}

TL_COLD_PATH void next_closed(ThreadState& thread, std::uint32_t id) {
  if (is_paused()) return;
  next_cold(thread, id, clock::ticks());
}

TL_COLD_PATH void next_cold(ThreadState& thread, std::uint32_t id, std::uint64_t ticks) {
  const InCold in_cold(thread);
  if (!(id == 0 ? enter(thread) == Entry::open : enter_or_lose(thread))) return;
  if (id != 0 && !is_registered(id)) return count_loss(*thread.slot, LossCause::bad_id);
  shm::RingChunk& ring = *thread.ring;
  const std::uint32_t depth = ring.depth();
  if (ring.too_deep > 0)
    end_open_scope(thread, id, StampMode::fast, ticks);
  else if (depth > 0 && open_id(ring.open[depth - 1], ring.times[depth - 1]) != 0)
    end_innermost(thread, StampMode::fast, ticks);
  else if (depth > 0 && ring.times[depth - 1].why == shm::WhyFarOff::late)
    ring.set_depth(depth - 1);
  // One that a pause has overtaken stays: it ends by its own name.
  if (id != 0) begin_scope(thread, id, StampMode::fast, ticks, 0);
}

TL_COLD_PATH void span_cold(ThreadState& thread, std::uint32_t id, std::uint64_t begin_ticks, std::uint64_t end_ticks) {
  const InCold in_cold(thread);
  if (!enter_with(thread, id)) return;
  ++thread.ring->scopes_finished;
  if (end_ticks - begin_ticks > dump::kMaxNumber)
    put_wide(thread, id, RecordKind::span, begin_ticks, end_ticks);
  else
    put_record(thread, end_ticks, dump::record_word(id, RecordKind::span, end_ticks - begin_ticks));
}

// Where the last pulse of an id is kept; null where there is no memory for it.
static std::uint64_t* pulse_place(ThreadState& thread, std::uint32_t id) {
  std::uint32_t& number = thread.ring->pulse_chunks[id / shm::kPulsesPerChunk];
  if (number == 0) {
    ++thread.busy;
    compiler_fence();
    if (number == 0 && thread.busy == 1) number = take_chunk();  // looked at again, since a handler may have taken one
    compiler_fence();
    --thread.busy;
    if (number == 0) return nullptr;
  }
  auto* chunk = reinterpret_cast<std::uint64_t*>(view().chunk(number));
  if (id < shm::kPulsesPerChunk) thread.pulses = chunk;
  return chunk + id % shm::kPulsesPerChunk;
}

TL_COLD_PATH void pulse_cold(ThreadState& thread, std::uint32_t id) {
  const InCold in_cold(thread);
  if (!enter_with(thread, id)) return;
  std::uint64_t* place = pulse_place(thread, id);
  if (place == nullptr) return count_loss(thread, LossCause::no_ring);
  pulse_at(thread, *place, id, clock::ticks);
}

TL_COLD_PATH void value_cold(ThreadState& thread, std::uint32_t id, std::int64_t value) {
  const InCold in_cold(thread);
  if (!enter_with(thread, id)) return;
  const auto bits = static_cast<std::uint64_t>(value), coded = dump::zigzag(bits), now = clock::ticks();
  if (coded > dump::kMaxNumber)
    put_wide(thread, id, RecordKind::value, bits, now);
  else
    put_record(thread, now, dump::record_word(id, RecordKind::value, coded));
}

TL_COLD_PATH void mark(ThreadState& thread, const char* text) {
  const std::uint64_t now = clock::ticks();
  const InCold in_cold(thread);
  if (text == nullptr || text[0] == 0 || !enter_or_lose(thread)) return;
  if (process.phase.load(std::memory_order_acquire) != Phase::running) return count_loss(*thread.slot, LossCause::late);
  const std::size_t bytes = strnlen(text, kMaxNameBytes);
  dump::RingRecord row[kMaxRow];
  std::uint32_t count = 1;
  row[0] = {now, dump::record_word(0, RecordKind::mark, bytes)};
  for (std::size_t at = 0; at < bytes; at += dump::kMarkBytesPerRecord) {
    std::uint64_t words[2] = {0, 0};
    const std::size_t left = bytes - at;
    std::memcpy(words, text + at, left < dump::kMarkBytesPerRecord ? left : dump::kMarkBytesPerRecord);
    row[count++] = {words[0], dump::record_word(0, RecordKind::mark_text, words[1])};
  }
  put_row(thread, row, count);
}

}  // namespace tl::record
