// Allocation calls from before this process (or this fork child) had a slot to count them in: they belong to its first
// thread. Loader and constructors, on one thread; in a fork child, before its first allocation.
#pragma once

#include "shm/layout.h"

namespace tl::record {

void count_early_call(AllocCall call, std::uint64_t bytes, bool failed);
void add_early_calls(shm::ThreadSlot& slot);
void forget_early_calls();

}  // namespace tl::record
