// A thread's own state: one constant-initialised block in initial-exec thread-local storage. No constructor and no
// destructor; zero-effort before its thread is known: `life` is unborn and the ring is one that sends every call the
// cold way, so the hot path has no "am I initialised?" of its own.
#pragma once

#include <cstdint>

#include "shm/layout.h"

namespace tl::record {

// May this thread's allocation calls be counted?
enum class Life : std::uint8_t {
  unborn,    // not met yet: no slot
  counting,  // live, calls are counted
  timing,    // live, calls are counted and timed (TL_ALLOC=time)
  aside,     // live, calls are not counted: TL_ALLOC=off, or inside a hooked call, whose own calls count as that one
  dying,     // its slot is closed; what it still does counts for no thread in particular
};

constexpr std::uint64_t kCursorFull = 1u << 16;

// On one line of the cache.
struct alignas(64) ThreadState {
  std::uint64_t cursor = kCursorFull;  // where the next record goes, and for how many there is room (record/ring.h)
  shm::RingChunk* ring;                // open scopes; never null
  shm::ThreadSlot* slot;               // null while unborn
  shm::ThreadSlot* counts_ahead;       // `slot` while calls are counted before they are made; else null
  shm::Segment* segment;
  std::uint64_t* pulses;         // this thread's table for the first 8,192 ids; null: none yet
  std::uint32_t in_cold;         // calls on their longer ways here, the interrupted ones included
  std::uint32_t end_waited_for;  // the number of the process's end that it has waited for as long as it may
  // Above 0: segment or ring are being changed here. A signal handler's record then goes into the segment that is
  // there, or is dropped and counted.
  std::uint32_t busy;
  Life life;
  std::uint8_t end_rounds;  // rounds of key destructors seen
};
static_assert(sizeof(ThreadState) <= 64);

extern __thread ThreadState tls __attribute__((tls_model("initial-exec")));

// The ring of a thread that has none, as far as the hot path looks: no gate is open to it, and it is deeper than any.
alignas(shm::RingChunk) extern std::uint32_t no_ring[];
inline bool is_real(const shm::RingChunk* ring) { return ring != reinterpret_cast<const shm::RingChunk*>(no_ring); }

}  // namespace tl::record
