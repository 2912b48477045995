// tlrun --control PID COMMAND: asks something of a process that is being recorded.
#pragma once

#include <string>

namespace tlrun {

// What to say, on one line; `good`: it was done.
std::string control(const std::string& pid, const std::string& command, bool& good);

}  // namespace tlrun
