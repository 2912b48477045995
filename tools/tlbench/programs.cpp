#include "tlbench/programs.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "tlbench/child.h"
#include "tlbench/clocks.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

class Runs {
 public:
  Runs(Workload workload, Outcome& outcome) : workload_(std::move(workload)), outcome_(outcome) {
    nowhere_ = open("/dev/null", O_WRONLY | O_CLOEXEC);
  }
  ~Runs() { close(nowhere_); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  // From before the fork until it has been waited for; its CPU time is that of all its threads, ours too.
  Times run(std::vector<std::string> environment) {
    const double begin = seconds_by(CLOCK_MONOTONIC_RAW);
    rusage usage{};
    const int status = wait_for(start({.program = workload_.program,
                                       .arguments = workload_.arguments,
                                       .environment = std::move(environment),
                                       .output = nowhere_,
                                       .watched_alone = true}),
                                &usage);
    const double wall = seconds_by(CLOCK_MONOTONIC_RAW) - begin;
    if (const std::string bad = why_bad(status); !bad.empty()) outcome_.failure = workload_.arguments[0] + ": " + bad;
    return {wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)};
  }

  bool go_on() const { return stop_asked == 0 && outcome_.failure.empty() && outcome_.disagreement.empty(); }

 private:
  Workload workload_;
  Outcome& outcome_;
  int nowhere_ = -1;
};

void keep(const Times& times, Series& series) {
  series.ns.push_back(times.wall * 1e9);
  series.cpu_ns.push_back(times.cpu * 1e9);
}

}  // namespace

Outcome run_program(const Case& of, const Plan& plan, const std::string& library, const std::string& directory) {
  Outcome outcome;
  Workload workload = workload_of(of.program, directory);
  outcome.measured.why_not = workload.why_not;
  if (!workload.why_not.empty()) return outcome;
  const std::string dump = directory + "/dump.tl";
  const std::vector<std::string> plain = clean_environment(), watched = environment_under(library, dump, of.alloc);
  Runs runs(std::move(workload), outcome);
  const double end = seconds_by(CLOCK_MONOTONIC_RAW) + plan.seconds;
  for (unsigned pair = 0; runs.go_on() && (pair == 0 || seconds_by(CLOCK_MONOTONIC_RAW) < end); ++pair) {
    Times with, without;
    if (pair % 2 == 0) without = runs.run(plain);
    with = runs.run(watched);
    if (pair % 2 != 0) without = runs.run(plain);
    if (!outcome.failure.empty()) break;
    keep(with, outcome.measured.part);
    keep(without, outcome.measured.reference);
    add_calls(dump, outcome);
    std::filesystem::remove(dump);
  }
  outcome.measured.slice_operations = 1;
  return outcome;
}

}  // namespace tl::tlbench
