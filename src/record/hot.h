// The whole hot path of a record. A begin's stamp is its last act, but for hard ones; before an end's stamp stands only
// the question whether the gate is open; so that neither measures the recorder.
//
// A signal handler may run scopes of its own between any two instructions here: it leaves depth as it found it and
// writes only above it; hence the order of the accesses, held by the fences (which make no instruction).
#pragma once

#include "base/attributes.h"
#include "clock/tsc.h"
#include "record/cold_calls.h"
#include "record/gate.h"
#include "record/ring.h"
#include "record/tls.h"

namespace tl::record {

// The scope `bytes` above the first open one; the lowest is the one below.
TL_HOT_PATH shm::OpenScope* open_at(shm::RingChunk* ring, std::uint64_t bytes) {
  return reinterpret_cast<shm::OpenScope*>(reinterpret_cast<char*>(ring->open) + bytes);
}

// Before a hard stamp all that came before has to be over, and that would be waited for; what is done after it, the
// processor does while it reads the counter. It adds 0.4 ns to what an empty scope measures and takes 4 % off its cost.
template <StampMode kMode>
TL_HOT_PATH void begin_open(ThreadState& thread, std::uint32_t id) {
  clock::CounterStamp now;
  if constexpr (kMode == StampMode::hard) now = clock::counter_at_begin<kMode>();
  shm::RingChunk* ring = thread.ring;
  const std::uint32_t bytes = ring->open_bytes;
  if (TL_UNLIKELY(bytes >= sizeof ring->open)) return begin_cold(thread, id, kMode);
  shm::OpenScope* scope = open_at(ring, bytes);
  scope->id = id;
  compiler_fence();
  ring->open_bytes = bytes + static_cast<std::uint32_t>(sizeof *scope);
  compiler_fence();
  scope->id = id;  // again: a handler before the last line had this place for itself
  scope->tag = shm::tag_of(id, kMode);
  compiler_fence();  // no vector out of four numbers, of which one has been waited for
  if constexpr (kMode != StampMode::hard) now = clock::counter_at_begin<kMode>();
  scope->begin_low = static_cast<std::uint32_t>(now.low);
  scope->begin_high = static_cast<std::uint32_t>(now.high);
  thread.counts_ahead = nullptr;  // what it allocates counts for it; the first call after the last end sets it again
}

// An open scope as it was at one moment: each field is read once, the tag first, since a handler that meets a pause
// turns the begin into one that is not near any end.
struct Begun {
  std::uint64_t tag, ticks;

  explicit TL_HOT_PATH Begun(const shm::OpenScope& scope) {
    tag = __atomic_load_n(&scope.tag, __ATOMIC_RELAXED);
    compiler_fence();
    __builtin_memcpy(&ticks, &scope.begin_low, sizeof ticks);
    compiler_fence();
  }
  // Whether the duration fits its record; a step shorter than its subtraction, which would have to be waited for.
  TL_HOT_PATH bool is_near(clock::CounterStamp end) const {
    return TL_LIKELY(static_cast<std::uint32_t>(end.high) - static_cast<std::uint32_t>(ticks >> 32) <
                     dump::kMaxNumber >> 32) &&
           TL_LIKELY(end.ticks() >= ticks);
  }
  // What the stamp of the end is added to to make the record's word: little remains to be done once that is there.
  TL_HOT_PATH std::uint64_t rest_of_word(StampMode end_mode) const {
    return (tag << 32 | dump::record_word(0, dump::scope_kind(StampMode::fast, end_mode), 0)) - ticks;
  }
};

// Neither looks whether a scope is open: what lies below and above the open ones is no scope and takes the longer way,
// and so does, by its duration, every scope with something special about it.
template <StampMode kMode>
TL_HOT_PATH void end_open(ThreadState& thread, shm::RingChunk* ring, std::uint32_t id) {
  const clock::CounterStamp now = clock::counter_at_end<kMode>();
  const std::uint32_t bytes = ring->open_bytes;
  const shm::OpenScope* place = open_at(ring, bytes) - 1;
  const Begun scope(*place);
  if (TL_UNLIKELY(place->id != id || !scope.is_near(now))) return end_cold(thread, id, kMode, now.ticks());
  const std::uint64_t word = now.ticks() + scope.rest_of_word(kMode);
  ring->open_bytes = bytes - static_cast<std::uint32_t>(sizeof(shm::OpenScope));
  ++ring->scopes_finished;
  if (!put_hot(thread, now.ticks(), word)) return publish_cold(thread, now.ticks(), word);
  if constexpr (kMode == StampMode::hard) clock::fence_end();  // here, so that all this goes on while the stamp is read
}

TL_HOT_PATH void next_open(ThreadState& thread, shm::RingChunk* ring, std::uint32_t id) {
  const clock::CounterStamp now = clock::counter_at_begin<StampMode::fast>();
  shm::OpenScope* place = open_at(ring, ring->open_bytes) - 1;
  const Begun scope(*place);
  if (TL_UNLIKELY(!scope.is_near(now))) return next_cold(thread, id, now.ticks());
  const std::uint64_t word = now.ticks() + scope.rest_of_word(StampMode::fast);
  place->id = id;
  place->tag = shm::tag_of(id, StampMode::fast);
  place->begin_low = static_cast<std::uint32_t>(now.low);
  place->begin_high = static_cast<std::uint32_t>(now.high);
  ++ring->scopes_finished;
  put_record(thread, now.ticks(), word);
}

template <StampMode kMode = StampMode::fast>
TL_HOT_PATH void begin(ThreadState& thread, std::uint32_t id) {
  if (!accepts(id)) return begin_cold(thread, id, kMode);
  begin_open<kMode>(thread, id);
}

template <StampMode kMode = StampMode::fast>
TL_HOT_PATH void end(ThreadState& thread, std::uint32_t id) {
  shm::RingChunk* ring = thread.ring;
  if (!is_open_to(ring)) return end_closed(thread, id, kMode);
  end_open<kMode>(thread, ring, id);
}

TL_HOT_PATH void next(ThreadState& thread, std::uint32_t id) {
  shm::RingChunk* ring = thread.ring;
  if (!accepts(id) || !is_open_to(ring)) return next_closed(thread, id);
  next_open(thread, ring, id);
}

TL_HOT_PATH void span(ThreadState& thread, std::uint32_t id, std::uint64_t begin_ticks, std::uint64_t end_ticks) {
  const std::uint64_t duration = end_ticks - begin_ticks;
  if (!accepts(id) || !is_open_to(thread.ring) || TL_UNLIKELY(duration > dump::kMaxNumber))
    return span_cold(thread, id, begin_ticks, end_ticks);
  ++thread.ring->scopes_finished;
  put_record(thread, end_ticks, dump::record_word(id, dump::RecordKind::span, duration));
}

// `place` keeps the thread's last pulse of that id; `stamp` says the time.
template <class Stamp>
TL_HOT_PATH void pulse_at(ThreadState& thread, std::uint64_t& place, std::uint32_t id, Stamp stamp) {
  std::uint64_t last = place, now;
  do now = stamp();
  while (TL_UNLIKELY(!replace(place, last, now)));  // a handler pulsed in between: `last` is its stamp
  if (TL_UNLIKELY(last == 0)) return;
  if (TL_UNLIKELY(now - last > dump::kMaxNumber)) return put_wide(thread, id, dump::RecordKind::pulse, last, now);
  put_record(thread, now, dump::record_word(id, dump::RecordKind::pulse, now - last));
}

TL_HOT_PATH void pulse(ThreadState& thread, std::uint32_t id) {
  if (!accepts(id) || !is_open_to(thread.ring) || TL_UNLIKELY(thread.pulses == nullptr || id >= shm::kPulsesPerChunk))
    return pulse_cold(thread, id);
  pulse_at(thread, thread.pulses[id], id, [] { return clock::counter_at_begin<StampMode::fast>().ticks(); });
}

TL_HOT_PATH void value(ThreadState& thread, std::uint32_t id, std::int64_t value) {
  const std::uint64_t coded = dump::zigzag(static_cast<std::uint64_t>(value));
  if (!accepts(id) || !is_open_to(thread.ring) || TL_UNLIKELY(coded > dump::kMaxNumber))
    return value_cold(thread, id, value);
  put_record(thread, clock::counter_at_begin<StampMode::fast>().ticks(),
             dump::record_word(id, dump::RecordKind::value, coded));
}

}  // namespace tl::record
