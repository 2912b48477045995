// The library's own code recording into private memory that nobody drains: what "flat out" means. It is as large as a
// shipped thread's ring may grow to, is used over and over, and is taken in pieces of the size of a segment.
#pragma once

#include <cstdint>
#include <vector>

#include "dump/format.h"

namespace tl::tlbench {

// Through pointers that a compiler cannot see through, as the library is reached through the global offset table.
struct UndrainedCalls {
  void (*begin)(std::uint32_t id);
  void (*end)(std::uint32_t id);
};
extern UndrainedCalls undrained_calls;

// Gives the calling thread such memory, empty. Once before its first call; again to begin anew.
void empty_undrained_ring();
// What the calling thread recorded since, if that was no more than the memory holds.
std::vector<dump::RingRecord> undrained_records();

}  // namespace tl::tlbench
