// One allocation call: counted before it is made, where nothing can come of it that would count otherwise; else around
// it, and with TL_ALLOC=time timed. Around it the thread stands `aside`, so an allocator that calls itself through a
// hook is counted once.
#pragma once

#include "base/attributes.h"
#include "clock/tsc.h"
#include "record/count_ahead.h"
#include "record/scope_allocations.h"
#include "record/tls.h"

namespace tl::record {

// What live threads do: counting, timing, or aside where calls are not counted. Set once, at start.
extern Life live;
// So many bytes libc finds for a request, unless the kernel refuses even a little: see look_at_results.
constexpr std::size_t kMostBytesAhead = 1024;
// Set by the hooks. For good: memory may be refused from now on. Signal-safe.
extern void (*look_at_results)();

// The two ways into and out of the state in which calls are counted.
inline void stand_aside(ThreadState& thread) {
  thread.life = Life::aside;
  thread.counts_ahead = nullptr;
}
inline void go_live(ThreadState& thread) {
  thread.life = live;
  thread.counts_ahead = is_in_scope(thread) ? nullptr : slot_to_count_ahead(thread);
}

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

struct SizeClasses {
  std::uint8_t of[kMostBytesAhead + 1];
};
constexpr SizeClasses small_size_classes() {
  SizeClasses out{};
  for (std::size_t bytes = 0; bytes <= kMostBytesAhead; ++bytes)
    out.of[bytes] = static_cast<std::uint8_t>(size_class_of(bytes));
  return out;
}
inline constexpr SizeClasses kSmallSizeClasses = small_size_classes();

// Counts a call that will succeed. False: it has to be made by counted(). Nothing is left to be done after the call, so
// that it can be a jump: a call that returns here, and a look at its result, would take a tenth of malloc and free.
TL_HOT_PATH bool count_ahead(AllocCall call, std::size_t bytes) {
  shm::ThreadSlot* slot = tls.counts_ahead;
  if (TL_UNLIKELY(slot == nullptr || bytes > kMostBytesAhead)) return false;
  ++slot->calls[static_cast<unsigned>(call)][kSmallSizeClasses.of[bytes]];
  slot->alloc_bytes += bytes;
  return true;
}

// It failed all the same.
inline void count_as_failed(std::size_t bytes) {
  shm::ThreadSlot* slot = tls.slot;
  if (slot == nullptr) return;
  slot->alloc_bytes -= bytes;
  ++slot->alloc_failed;
}

TL_HOT_PATH bool count_free_ahead() {
  shm::ThreadSlot* slot = tls.counts_ahead;
  if (TL_UNLIKELY(slot == nullptr)) return false;
  ++slot->calls[static_cast<unsigned>(AllocCall::free_)][0];
  return true;
}

// Makes the `real` call and counts it; `failed` tells from its result whether it failed.
template <class Real, class Failed>
__attribute__((noinline)) auto counted(AllocCall call, std::uint64_t bytes, Real real, Failed failed) {
  ThreadState& thread = tls;
  if (thread.life == Life::counting) {
    stand_aside(thread);
    const bool in_scope = is_in_scope(thread);
    const std::uint64_t from = in_scope ? clock::ticks() : 0;
    const auto result = real();
    if (in_scope) charge_scope(thread, call, bytes, failed(result), clock::ticks() - from);
    count(*thread.slot, call, bytes, failed(result));
    go_live(thread);
    return result;
  }
  if (thread.life == Life::aside) return real();
  const AllocEntry entry = enter();
  const auto result = real();
  leave(entry, call, bytes, failed(result));
  return result;
}

}  // namespace tl::record
