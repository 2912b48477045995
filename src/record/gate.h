// Who may record at all: the start, the end and pauses open and close this gate for the whole process.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/attributes.h"
#include "shm/layout.h"

namespace tl::record {

// One look decides whether a call may take the hot way: a begin's at its id, everything else's also at its thread,
// which must have met all pauses. Nothing does before the start, while paused, once the end is being written, and where
// stamps are not the counter's. Relaxed: who has an id got it from the registry; for the rest "soon" is enough.
struct alignas(64) Gate {
  std::atomic<std::uint32_t> accepted_ids;  // 1 to this; 0 while closed
  std::atomic<std::uint32_t> version;  // twice the pauses so far, as in the ring of a thread that has met them all;
                                       // closed: an odd number, as in no ring
  std::atomic<std::uint32_t> paused;
  std::atomic<std::uint32_t> pauses;
  std::atomic<std::uint32_t> switched_off;          // TL_DISABLE=1: the library is there and does nothing
  std::atomic<std::uint64_t> discard_before_ticks;  // scopes that began earlier were open across the last pause
};
extern Gate gate;

TL_HOT_PATH bool accepts(std::uint32_t id) {
  return TL_LIKELY(id - 1u < gate.accepted_ids.load(std::memory_order_relaxed));
}
TL_HOT_PATH bool is_open_to(const shm::RingChunk* ring) {
  return TL_LIKELY(ring->gate_version == gate.version.load(std::memory_order_relaxed));
}

inline bool is_paused() { return gate.paused.load(std::memory_order_relaxed) != 0; }

// The gate as phase, pause, registry and clock ask for, whoever changed one of them. Lock-free and signal-safe.
void update_gate();

// A process that is paused has a drain: nothing else would hear of a resume from outside, since its calls end at the
// gate or are not even made.
void pause();
void resume();
// At the start of a recording: a fork child goes on as its parent was.
void share_pauses();
bool is_recording();
// Sees to it that requests from outside are answered from now on. Not in a vfork child.
void attend();

// The program need not make its calls either.
void switch_off();

}  // namespace tl::record
