// One allocation call, counted and, with TL_ALLOC=time, timed. Meanwhile the thread stands `aside`, so an allocator
// that calls itself through a hook is counted once.
#pragma once

#include "base/attributes.h"
#include "record/tls.h"

namespace tl::record {

// What live threads do: counting, timing, or aside where calls are not counted. Set once, at start.
extern Life live;

// What becomes of a call on a thread that is not `counting`.
struct AllocEntry {
  enum Where : std::uint32_t { uncounted, thread, early, rest } where;
  std::uint64_t begin_ticks;
};
AllocEntry enter();  // may make the thread live
void leave(AllocEntry entry, AllocCall call, std::uint64_t bytes, bool failed);

// The calling thread's counts so far; false: they are not counted, or cannot be seen.
struct ThreadCounts {
  std::uint64_t calls, bytes, frees, failed;  // as in tl_allocations
};
bool count_so_far(ThreadCounts& out);

inline void count(shm::ThreadSlot& slot, AllocCall call, std::uint64_t bytes, bool failed) {
  ++slot.calls[static_cast<unsigned>(call)][size_class_of(bytes)];
  if (TL_UNLIKELY(failed))
    ++slot.alloc_failed;
  else
    slot.alloc_bytes += bytes;
}

template <class Real, class Failed>
__attribute__((noinline)) auto counted_otherwise(AllocCall call, std::uint64_t bytes, Real real, Failed failed) {
  if (tls.life == Life::aside) return real();
  const AllocEntry entry = enter();
  const auto result = real();
  leave(entry, call, bytes, failed(result));
  return result;
}

// Makes the `real` call and counts it; `failed` tells from its result whether it failed.
template <class Real, class Failed>
TL_HOT_PATH auto counted(AllocCall call, std::uint64_t bytes, Real real, Failed failed) {
  ThreadState& thread = tls;
  if (TL_UNLIKELY(thread.life != Life::counting)) return counted_otherwise(call, bytes, real, failed);
  thread.life = Life::aside;
  const auto result = real();
  count(*thread.slot, call, bytes, failed(result));
  thread.life = Life::counting;
  return result;
}

}  // namespace tl::record
