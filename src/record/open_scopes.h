// A thread's stack of open scopes, on its longer ways: pushed, found, taken out, and what a pause does to them. All of
// it works on the caller's own ring, and a signal handler that runs in between leaves the stack as it found it.
#pragma once

#include <cstdint>

#include "record/tls.h"

namespace tl::record {

inline std::uint64_t begin_of(const shm::OpenScope& scope, const shm::ScopeTimes& times) {
  return scope.begin_high == shm::kFarOff ? times.begin_ticks : scope.begin_ticks();
}

// Pushes a scope, stamp last; the caller has looked that there is a place. `begin_ticks` 0: the stamp is taken here.
void push_scope(shm::RingChunk& ring, std::uint32_t id, StampMode mode, std::uint64_t begin_ticks,
                std::uint64_t intended_ticks);
// One that began while the end was being written: it is kept so that its end finds it and not another's begin.
void push_late_scope(shm::RingChunk& ring, std::uint32_t id);

// Takes the scope on top off and puts its record, or records.
void end_innermost(ThreadState& thread, StampMode end_mode, std::uint64_t end_ticks);

// Ends the scope of that id wherever it is, by the rules of a wrong end.
void end_open_scope(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t ticks);

// Where the stack is full: takes out what a pause has overtaken. False: there was none of it.
bool drop_stale(shm::RingChunk& ring);

// Where this thread has not met the last pause yet: its open scopes count as discarded, its pulses begin anew.
void meet_pauses(ThreadState& thread);

}  // namespace tl::record
