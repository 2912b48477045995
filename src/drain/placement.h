// Where and how the drain's thread runs: out of the program's way.
#pragma once

namespace tl::drain {

// Remembers which CPUs the process may use at its start, whatever its threads are put on later. Once, at start.
void remember_cpus();

// The rest is for the drain's thread alone.

// A table of descriptors of its own: the program may close all of its and use the numbers again, and copies of its
// pipes must not be kept open.
void own_descriptors();
// Whatever the thread is that called for the drain: the usual policy, a short slice, and ahead of others where that is
// permitted.
void own_scheduling();
// The CPUs that the process may use without those that TL_PIN has given to threads, if any remain. Call it now and
// then.
void keep_off_pinned_cpus();

}  // namespace tl::drain
