// What processes of this user that are dead left in shared memory: the next run writes it into their dumps.
#pragma once

namespace tl::drain {

// Once, on the drain's thread, when the process has lived for a while. Leaves alone what a tlrun that waits for the
// dead one will write, with the signal that it died of.
void write_what_the_dead_left();

}  // namespace tl::drain
