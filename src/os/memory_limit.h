// How much memory the process may have at most, as far as it is told.
#pragma once

#include <cstdint>

namespace tl::os {

// All ones: no limit. Of the process's address space (RLIMIT_AS):
std::uint64_t address_space_limit_bytes();
// Whether the kernel may refuse the process memory of which there is some: by a limit on its size (RLIMIT_AS,
// RLIMIT_DATA), or where it gives out no more than it has (vm.overcommit_memory=2).
bool memory_may_be_refused();
// The least of its control groups (memory.max, or memory.limit_in_bytes). Reads files: not for a thread of the
// program's.
std::uint64_t group_memory_limit_bytes();

}  // namespace tl::os
