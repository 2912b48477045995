// The length of a tick as far as it is known while the process runs. A reader, who has anchors of the whole recording,
// knows better (clock/convert.h).
#pragma once

#include <cstdint>

#include "clock/anchor.h"

namespace tl::clock {

// Once, at start: the anchor from which on it is measured.
void calibrate_from(const AnchorSample& start);

// Nanoseconds a tick. Measured anew when the time since the start has doubled, so it costs about 1 us now and then.
// Lock-free and signal-safe.
double ns_per_tick();

}  // namespace tl::clock
