// Whole programs that allocate a lot, run with the library and without it in turn.
#pragma once

#include <string>
#include <vector>

#include "tlbench/cases.h"
#include "tlbench/outcome.h"

namespace tl::tlbench {

struct Workload {
  std::string why_not;  // empty, or why there is none: the program is not installed
  std::string program;  // its path, not that of a script that finds it
  std::vector<std::string> arguments;
};

// sqlite, perl, python or cc1plus, each for a fraction of a second; what it reads is made in `directory`.
Workload workload_of(std::string_view name, const std::string& directory);

Outcome run_program(const Case& of, const Plan& plan, const std::string& library, const std::string& directory);

}  // namespace tl::tlbench
