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
  std::optional<std::string> dumps_on;               // the type of the file system that dumps are written to
  std::optional<double> load;                        // of the last minute, before the first case
};

// `dumps`: the directory they are written under.
Machine this_machine(const std::string& dumps);

}  // namespace tl::tlbench
