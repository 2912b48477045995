// The TL_ variables, read once at start from the environment that the loader hands over. What is unusable costs one
// line on stderr and the default is used.
#pragma once

#include <cstdint>

#include "base/setting_values.h"

namespace tl::drain {

struct Environment {
  bool disabled = false;
  bool os_clock = false;  // TL_CLOCK=os
  Follow follow;
  const char* only = "";  // globs
  const char* output = "telemetry.%e.%p.%t.tl";
};

// Also sets record's configuration and pins.
Environment read_environment(char** environment);

}  // namespace tl::drain
