// Counting (and, with TL_ALLOC=time, timing) one allocation call: enter() before the real call, leave() after it.
// Between the two the thread is `inside`, so an allocator that calls itself through a hook is counted once.
#pragma once

#include "base/attributes.h"
#include "clock/tsc.h"
#include "record/tls.h"

namespace tl::record {

extern bool alloc_timed;

enum class Admission : std::uint32_t { counted, early, rest, uncounted };

// What becomes of a call on a thread that is not live: makes it live, or says where the call counts.
Admission admit_cold();
void count_cold(Admission where, AllocCall call, std::uint64_t bytes, bool failed);
void add_latency(shm::ThreadSlot& slot, AllocCall call, unsigned size_class, std::uint64_t ticks);
void count_failed(shm::ThreadSlot& slot);

struct AllocEntry {
  Admission admission;
  std::uint64_t begin_ticks;
};

TL_HOT_PATH AllocEntry enter() {
  ThreadState& thread = tls;
  if (TL_UNLIKELY(thread.life != Life::live)) {
    const Admission where = admit_cold();
    if (where != Admission::counted) return {where, 0};
  }
  thread.life = Life::inside;
  return {Admission::counted, TL_UNLIKELY(alloc_timed) ? clock::ticks() : 0};
}

TL_HOT_PATH void leave(AllocEntry entry, AllocCall call, std::uint64_t bytes, bool failed) {
  if (TL_UNLIKELY(entry.admission != Admission::counted)) return count_cold(entry.admission, call, bytes, failed);
  ThreadState& thread = tls;
  shm::ThreadSlot& slot = *thread.slot;
  const unsigned size_class = size_class_of(bytes);
  if (TL_UNLIKELY(alloc_timed)) add_latency(slot, call, size_class, clock::ticks() - entry.begin_ticks);
  ++slot.calls[static_cast<unsigned>(call)][size_class];
  if (TL_UNLIKELY(failed))
    count_failed(slot);
  else
    slot.alloc_bytes += bytes;
  thread.life = Life::live;
}

}  // namespace tl::record
