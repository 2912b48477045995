// Scope names: text to id, and their copy in shared memory, where they survive the process.
#pragma once

#include <cstdint>

namespace tl::record {

// 0: no name (null, empty, over 255 bytes), or all 65,535 ids are taken. Same text, same id. Takes a lock: not
// signal-safe.
std::uint32_t register_scope(const char* name);

bool is_registered(std::uint32_t id);

// How many ids were given so far: all from 1 on.
std::uint32_t registered_scopes();

// At the start of a recording in this process: puts the names that exist already (a fork child's) into its memory.
void publish_names();
// In a fork child: the lock may have been held by a thread that is not there.
void reset_registry_lock();

}  // namespace tl::record
