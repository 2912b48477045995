// The program's user and groups, when they change: libc tells its own threads, of which the drain is none.
#pragma once

namespace tl::drain {

// On the drain's thread, each round: those that take_credentials_over() left.
void take_on_credentials();

}  // namespace tl::drain
