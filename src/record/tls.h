// A thread's own state: one constant-initialised block in initial-exec thread-local storage. No constructor and no
// destructor; zero-effort before its thread is known: `life` is unborn and the ring is one that sends every call the
// cold way, so the hot path has no "am I initialised?" of its own.
#pragma once

#include <cstdint>

#include "shm/layout.h"

namespace tl::record {

// May this thread's allocation calls be counted? One compare with `counting` answers; everything else takes a longer
// way.
enum class Life : std::uint32_t {
  unborn,    // not met yet: no slot
  counting,  // live, calls are counted
  timing,    // live, calls are counted and timed (TL_ALLOC=time)
  aside,     // live, calls are not counted: TL_ALLOC=off, or inside a hooked call, whose own calls count as that one
  dying,     // its slot is closed; what it still does counts for no thread in particular
};

struct ThreadState {
  dump::RingRecord* next;   // the record to write next
  dump::RingRecord* limit;  // end of the segment that it lies in
  shm::RingChunk* ring;     // open scopes; never null
  shm::ThreadSlot* slot;    // null while unborn
  shm::Segment* segment;
  Life life;
  // Records being made here, the interrupted ones included. While it is not 0 a signal handler's record goes into the
  // segment that is there or is dropped and counted: only the outermost may change segment or ring.
  std::uint32_t busy;
  std::uint32_t end_rounds;  // rounds of key destructors seen
};
static_assert(sizeof(ThreadState) <= 64);

extern __thread ThreadState tls __attribute__((tls_model("initial-exec")));

// The ring of a thread that has none: deeper than any, so begin and end both find no place in it.
alignas(shm::RingChunk) extern std::uint32_t no_ring[];

}  // namespace tl::record
