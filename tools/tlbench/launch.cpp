#include "tlbench/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "analyze/summary.h"
#include "cli/library.h"
#include "read/dump.h"
#include "tlbench/worker.h"

namespace tl::tlbench {

namespace {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int number) { interrupted = number; }

// SIGINT from a terminal reaches the worker too; the others are passed on. Either way it ends in order, so that neither
// shared memory nor the directory stays behind.
class Interrupts {
 public:
  Interrupts() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = interrupt;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &before_[i]);
  }
  ~Interrupts() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    path_ = place_of_dumps() + "/tlbench.XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make the directory '" + path_ + "'");
    path_ = fs::canonical(path_).string();
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Ours, without what would change what is measured: the shipped defaults are those of an empty environment.
std::vector<std::string> environment_for(const Case& of, const std::string& library, const std::string& dump) {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (variable.substr(0, 3) != "TL_" && variable.substr(0, 11) != "LD_PRELOAD=") out.emplace_back(variable);
  }
  if (!of.with_library) return out;
  out.push_back("LD_PRELOAD=" + library);
  out.push_back("TL_OUTPUT=" + cli::as_output(dump));
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

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
  std::vector<std::string> arguments = {"tlbench", kWorkerArgument, asked.dump()};
  const std::vector<char*> argv = pointers_to(arguments), envp = pointers_to(variables);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    fcntl(ends[1], F_SETFD, 0);
    execve("/proc/self/exe", argv.data(), envp.data());
    _exit(127);
  }
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
  while (waitpid(pid, &ended.status, 0) < 0 && errno == EINTR) continue;
  return ended;
}

// recorded + lost = begun, each from another place: the records in the dump, the library's counters and the gaps in
// the dump, and the worker's own loops.
void check_counts(const std::string& path, Outcome& outcome) {
  read::Dump dump;
  const std::string failure = dump.open(path);
  if (!failure.empty()) {
    outcome.disagreement = failure;
    return;
  }
  Counts& counts = outcome.counts.emplace();
  for (const auto& [serial, thread] : dump.facts().threads) counts.recorded += thread.scopes;
  counts.bytes = dump.bytes();
  const analyze::Losses losses = analyze::count_losses(dump, {});
  counts.lost = losses.records;
  std::copy(losses.by_cause.begin(), losses.by_cause.end(), counts.by_cause.begin());
  const std::uint64_t begun = outcome.measured.begun;
  if (counts.recorded + counts.lost != begun)
    outcome.disagreement = fmt::format("{} scopes were begun, but the dump holds {} and counts {} as lost", begun,
                                       counts.recorded, counts.lost);
  else if (!dump.facts().end || dump.facts().end->reason != read::EndReason::exit)
    outcome.disagreement = "the dump was not closed by the process's exit";
}

}  // namespace

// fs::temp_directory_path() does not say which it could not use.
std::string place_of_dumps() {
  const char* asked = std::getenv("TMPDIR");
  return asked != nullptr && *asked != '\0' ? asked : "/tmp";
}

Outcome run_case(const Suite& suite, const Case& of, const Plan& plan, const std::string& library) {
  const Interrupts interrupts;
  const TemporaryDirectory directory;
  const std::string dump = directory.path() + "/dump.tl";
  const Ended ended = run_worker(suite, of, plan, environment_for(of, library, dump));
  Outcome outcome;
  outcome.interrupted_by = interrupted;
  if (outcome.interrupted_by != 0) return outcome;
  if (WIFSIGNALED(ended.status))
    outcome.failure = fmt::format("its process was ended by signal {}", WTERMSIG(ended.status));
  else if (WEXITSTATUS(ended.status) != 0)
    outcome.failure = fmt::format("its process ended with status {}", WEXITSTATUS(ended.status));
  if (!outcome.failure.empty()) return outcome;
  outcome.measured = from_json(nlohmann::json::parse(ended.said));
  if (of.with_library && outcome.measured.why_not.empty()) check_counts(dump, outcome);
  return outcome;
}

}  // namespace tl::tlbench
