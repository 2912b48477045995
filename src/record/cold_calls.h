// The calls that do not take the hot way, or not to its end. All are for the caller's own thread.
#pragma once

#include <cstdint>

#include "record/tls.h"

namespace tl::record {

// The longer ways: a thread's first record, nesting too deep, unknown ids, wrong ends, wide numbers, other clocks.
// Those without a stamp take it first of all.
void begin_cold(ThreadState& thread, std::uint32_t id, StampMode mode);
void end_closed(ThreadState& thread, std::uint32_t id, StampMode mode);
void end_cold(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t ticks);
void next_closed(ThreadState& thread, std::uint32_t id);
void next_cold(ThreadState& thread, std::uint32_t id, std::uint64_t ticks);
void begin_at(ThreadState& thread, std::uint32_t id, std::uint64_t intended_ticks);
void span_cold(ThreadState& thread, std::uint32_t id, std::uint64_t begin_ticks, std::uint64_t end_ticks);
void pulse_cold(ThreadState& thread, std::uint32_t id);
void value_cold(ThreadState& thread, std::uint32_t id, std::int64_t value);
void mark(ThreadState& thread, const char* text);

}  // namespace tl::record
