#include "tlbench/suite_run.h"

#include <algorithm>

#include "cli/cpu_list.h"
#include "tlbench/child.h"
#include "tlbench/launch.h"

namespace tl::tlbench {

namespace {
// Of a case's share of the time: a process's start, warming up, and writing the dump to its end.
constexpr double kAroundSeconds = 0.08;
constexpr double kLeastSeconds = 0.02;
}  // namespace

SuiteRun run_suite(const Suite& suite, double seconds, std::vector<int> cpus, const std::string& library) {
  if (suite.same_cpus && cpus.empty()) {
    cpus = cli::usable_cpus();
    if (cpus.size() > 2) cpus.erase(cpus.begin() + 2, cpus.end());  // no case has more threads that are pinned
  }
  SuiteRun run;
  run.results = {&suite, this_machine(place_of_dumps()), library, seconds, cpus, {}};
  double weights = 0;
  for (const Case& of : suite.cases) weights += of.weight;
  for (const Case& of : suite.cases) {
    const Plan plan{std::max(seconds * of.weight / weights - kAroundSeconds, kLeastSeconds), cpus};
    Row row{&of, run_case(suite, of, plan, library)};
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
