// What recording itself costs, measured where it counts: in the watched process, by the very code of the hot path, but
// on the drain's thread and into a ring that nobody reads.
#pragma once

namespace tl::drain {

// Fills in the control page's cost rows and the step of the clock. Takes about 0.3 ms; once a process.
void measure_own_cost();

}  // namespace tl::drain
