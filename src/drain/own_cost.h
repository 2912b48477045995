// What recording itself costs, measured where it counts: in the watched process, by the very code of the hot path, but
// on the drain's thread and into a ring that nobody reads.
#pragma once

namespace tl::drain {

// Fills in the control page's cost rows and the step of the clock, once a process. Takes about 0.3 ms; `briefly`, with
// fewer samples, a fifth of that: for the exit of a program that has no drain and waits for this.
void measure_own_cost(bool briefly);

}  // namespace tl::drain
