#include "tlbench/scope.h"

#include <algorithm>

namespace tl::tlbench {

namespace {
// Of a case's share of the time: a process's start, warming up, and writing the dump to its end.
constexpr double kAroundSeconds = 0.08;
constexpr double kLeastSeconds = 0.02;
}  // namespace

ScopeRun run_scope(double seconds, const std::vector<int>& cpus, const std::string& library) {
  ScopeRun run;
  run.results = {this_machine(), library, seconds, cpus, {}};
  const double share = seconds / static_cast<double>(scope_cases().size());
  const Plan plan{std::max(share - kAroundSeconds, kLeastSeconds), cpus};
  for (const Case& of : scope_cases()) {
    Row row{&of, run_case(of, plan, library)};
    run.interrupted_by = row.outcome.interrupted_by;
    if (run.interrupted_by != 0) return run;
    const std::string name = "case " + std::string(of.name) + ": ";
    if (!row.outcome.failure.empty()) {
      run.failure = name + row.outcome.failure;
      return run;
    }
    if (!row.outcome.disagreement.empty())
      run.disagreement += (run.disagreement.empty() ? "" : "; ") + name + row.outcome.disagreement;
    run.results.rows.push_back(std::move(row));
  }
  return run;
}

}  // namespace tl::tlbench
