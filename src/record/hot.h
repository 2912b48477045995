// The whole hot path of a scope. Two stamps, a push and a pop, one record of 16 bytes. The stamp of a begin is its last
// act and that of an end its first, so that neither measures the recorder.
//
// A signal handler may run scopes of its own between any two instructions here: it leaves depth as it found it and
// writes only above it; hence the order of the accesses, held by the fences (which make no instruction).
#pragma once

#include <atomic>

#include "base/attributes.h"
#include "clock/tsc.h"
#include "record/ring.h"
#include "record/tls.h"

namespace tl::record {

// Scopes with ids 1 to this number may begin: those that are registered, or none before the start and once the end is
// being written. Relaxed here: who has an id got it from the registry, and at the end "soon" is enough.
extern std::atomic<std::uint32_t> accepted_ids;

void begin_cold(std::uint32_t id);                     // first scope of a thread, too deep, unknown id
void end_cold(std::uint32_t id, std::uint64_t ticks);  // not the innermost, too deep, nothing open

TL_HOT_PATH void begin(std::uint32_t id) {
  shm::RingChunk* ring = tls.ring;
  const std::uint32_t depth = ring->depth;
  if (TL_UNLIKELY(depth >= kMaxOpenScopes || id - 1u >= accepted_ids.load(std::memory_order_relaxed)))
    return begin_cold(id);
  ring->open[depth].id = id;
  compiler_fence();
  ring->depth = depth + 1;
  compiler_fence();
  ring->open[depth].id = id;  // again: a handler before the last line had this place for itself
  ring->open[depth].begin_ticks = clock::ticks();
}

TL_HOT_PATH void end(std::uint32_t id) {
  const std::uint64_t now = clock::ticks();
  ThreadState& thread = tls;
  shm::RingChunk* ring = thread.ring;
  const std::uint32_t top = ring->depth - 1u;
  if (TL_UNLIKELY(top >= kMaxOpenScopes || ring->open[top].id != id)) return end_cold(id, now);
  const std::uint64_t duration = now - ring->open[top].begin_ticks;
  if (TL_UNLIKELY(duration > dump::kMaxNumber)) return end_cold(id, now);
  compiler_fence();
  ring->depth = top;
  ++ring->scopes_finished;
  put_record(thread, now, dump::record_word(id, dump::RecordKind::scope, duration));
}

}  // namespace tl::record
