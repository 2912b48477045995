// The recording's start and end in this process. All functions are for the hooks in preload/ and for the C ABI.
#pragma once

#include "dump/format.h"

namespace tl::drain {

// From the library's constructor, before any other code of the program. `malloc_hook`: our own malloc, to see whether
// the program's calls reach it; null in a build without hooks.
void start(int argc, char** argv, char** environment, const void* malloc_hook);

// Writes what there is and ends the dump. Waits for the drain, at most some seconds; does nothing in a vfork child,
// before the start, or the second time. Preserves errno.
void finish(dump::EndReason reason);

// The program is about to confine itself by seccomp (see Process::sealed).
// `forbids_time_stamps`: in the strict mode the time stamp counter faults, so recording is paused for good.
void seal(bool forbids_time_stamps);

// The exec failed: the program goes on, and so does its recording.
void resume();

// In the child of a fork, before anything else: the handler that fork itself calls; for a fork that calls none.
void on_fork_child();

// The calling thread's user and groups have changed: the drain takes them over. Waits for it, at most a second.
void follow_credentials();

// For a call that the kernel grants to processes of one thread only: the drain's thread ends, and starts again after
// it. False: there was none to end.
bool step_aside();
void step_back();

// See tl_flush. Where nothing was recorded there is nothing to hand over. Preserves errno.
bool flush();

// Whether this process is the one that is recorded, and not a vfork child that borrows its memory.
bool is_own_process();

}  // namespace tl::drain
