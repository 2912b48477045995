// On what the figures were taken.
#pragma once

#include <optional>
#include <string>

namespace tl::tlbench {

struct Machine {
  std::string cpu;  // its model's name
  bool is_virtual = false;
  unsigned cpus = 0, usable_cpus = 0;  // online, and those that this process may run on
  std::string kernel;
  std::optional<std::string> clocksource, governor;  // none: the kernel does not tell
  std::optional<double> load;                        // of the last minute, before the first case
};

Machine this_machine();

}  // namespace tl::tlbench
