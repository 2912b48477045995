// A suite: every case in a process of its own, one after the other.
#pragma once

#include <string>

#include "tlbench/print.h"

namespace tl::tlbench {

struct SuiteRun {
  Results results;
  std::string failure;       // empty, or why there are no results
  std::string disagreement;  // empty, or in which case the dump does not hold what was recorded
  int interrupted_by = 0;
};

// `seconds`: for all of it. `cpus`: as asked for; empty: the suite's choice.
SuiteRun run_suite(const Suite& suite, double seconds, std::vector<int> cpus, const std::string& library);

}  // namespace tl::tlbench
