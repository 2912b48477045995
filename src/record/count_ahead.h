// Whether a thread's allocation calls are counted before they are made (record/allocations.h). Inside a scope they are
// not, since they count for it, with the time they take.
#pragma once

#include "base/attributes.h"
#include "record/tls.h"

namespace tl::record {

// All ones where calls may be counted ahead, else 0: they are counted, and the allocator beneath is libc's, which calls
// none of its own hooks. Set once, at start.
TL_OURS extern std::uintptr_t counts_ahead_mask;

TL_HOT_PATH shm::ThreadSlot* slot_to_count_ahead(const ThreadState& thread) {
  return reinterpret_cast<shm::ThreadSlot*>(reinterpret_cast<std::uintptr_t>(thread.slot) & counts_ahead_mask);
}

inline bool is_in_scope(const ThreadState& thread) { return is_real(thread.ring) && thread.ring->open_bytes != 0; }

// After the scopes that are open have changed on a longer way.
inline void settle_count_ahead(ThreadState& thread) {
  if (thread.life != Life::counting) return;
  thread.counts_ahead = is_in_scope(thread) ? nullptr : slot_to_count_ahead(thread);
}

}  // namespace tl::record
