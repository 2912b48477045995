// What the innermost open scope of a thread asks of the allocator.
#pragma once

#include <cstdint>

#include "base/alloc_call.h"
#include "record/tls.h"

namespace tl::record {

// One call of the thread's own, inside a scope, that took so long. From then on that scope ends by the longer way.
void charge_scope(ThreadState& thread, AllocCall call, std::uint64_t bytes, bool failed, std::uint64_t ticks);

// What was charged to the open scope of that level, which is taken out of there.
shm::ScopeAllocations take_allocations(shm::RingChunk& ring, std::uint32_t level);
// The scope of level `from` has become that of level `to`.
void move_allocations(shm::RingChunk& ring, std::uint32_t to, std::uint32_t from);

// As rows of records before the scope's own; returns how many: 3, or 0 if there is nothing to tell.
std::uint32_t add_allocations(dump::RingRecord* row, std::uint32_t id, const shm::ScopeAllocations& allocations,
                              std::uint64_t end_ticks);

}  // namespace tl::record
