#include "tlbench/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "tlbench/beside.h"
#include "tlbench/child.h"
#include "tlbench/programs.h"
#include "tlbench/worker.h"

namespace tl::tlbench {

namespace {

struct Ended {
  std::string said;
  int status = 0;
};

Ended run_worker(const Suite& suite, const Case& of, const Plan& plan, std::vector<std::string> variables) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  const nlohmann::json asked = {{"suite", suite.name},
                                {"case", of.name},
                                {"seconds", plan.seconds},
                                {"cpus", plan.cpus},
                                {"descriptor", ends[1]}};
  const pid_t pid = start({.program = "/proc/self/exe",
                           .arguments = {"tlbench", kWorkerArgument, asked.dump()},
                           .environment = std::move(variables),
                           .descriptors = {ends[1]}});
  close(ends[1]);
  Ended ended;
  char buffer[65536];
  for (bool passed_on = false;;) {
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n > 0) ended.said.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
    if (interrupted != 0 && !std::exchange(passed_on, true)) kill(pid, SIGTERM);
  }
  close(ends[0]);
  ended.status = wait_for(pid);
  return ended;
}

Outcome run_in_worker(const Suite& suite, const Case& of, const Plan& plan, const std::string& library,
                      const std::string& dump) {
  const Ended ended =
      run_worker(suite, of, plan, of.with_library ? environment_under(library, dump, of.alloc) : clean_environment());
  Outcome outcome;
  if (interrupted != 0) return outcome;
  outcome.failure = why_bad(ended.status);
  if (!outcome.failure.empty()) return outcome;
  outcome.measured = from_json(nlohmann::json::parse(ended.said));
  if (of.with_library && outcome.measured.why_not.empty()) check_scopes(dump, outcome);
  return outcome;
}

}  // namespace

Outcome run_case(const Suite& suite, const Case& of, const Plan& plan, const std::string& library) {
  const Interrupts interrupts;
  const TemporaryDirectory directory;
  const std::string dump = directory.path() + "/dump.tl";
  Outcome outcome;
  if (of.method == Method::beside)
    outcome = run_beside(of, plan, library, dump);
  else if (of.method == Method::program)
    outcome = run_program(of, plan, library, directory.path());
  else
    outcome = run_in_worker(suite, of, plan, library, dump);
  outcome.interrupted_by = interrupted;
  return outcome;
}

}  // namespace tl::tlbench
