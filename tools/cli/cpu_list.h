// CPUs by their numbers, as --cpus takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tl::cli {

// "0,2-3" as taskset has it, or "0+2-3" as in TL_PIN, in that order; each once. None: it is not like that.
std::optional<std::vector<int>> cpu_list(const std::string& text);

// Those that this process may run on, in ascending order.
std::vector<int> usable_cpus();

}  // namespace tl::cli
