// The drain: one thread that carries records from the rings to the dump. It starts at the first record.
#pragma once

#include <cstdint>

#include "dump/format.h"

namespace tl::drain {

void ensure_drain();  // signal-safe
void wake_drain();    // signal-safe
bool drain_is_alive();

// Asks the drain to end the dump and waits, at most `patience_ns`. False: it did not get there in time, or could not.
bool end_by_drain(dump::EndReason reason, std::uint64_t patience_ns);
// The same on the calling thread, where no drain runs.
bool end_inline(dump::EndReason reason);
// All records that were made before are handed to the kernel. False: not within a second, or they cannot be.
bool flush_by_drain();
// The same in two steps, for the drain itself.
enum class Flushed { not_yet, done, refused };  // refused: the dump has no room
std::uint32_t ask_for_flush();
Flushed is_flushed(std::uint32_t asked);
// After an end that was none: on with the recording.
void resume_drain();
// Ends the drain's thread, which leaves everything in order for the next one, and waits until the kernel has it no
// more. False: not within some seconds; then it goes on, or another one does.
bool stop_drain();
// The drain takes on the caller's user and groups. Bounded wait.
void take_credentials_over();
// In a fork child: there is no drain.
void forget_drain();

}  // namespace tl::drain
