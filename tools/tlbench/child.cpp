#include "tlbench/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/library.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace fs = std::filesystem;

volatile std::sig_atomic_t interrupted = 0;

namespace {

void interrupt(int number) {
  interrupted = number;
  stop_asked = 1;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  stop_asked = 0;
  struct sigaction action {};
  action.sa_handler = interrupt;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &before_[i]);
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

// fs::temp_directory_path() does not say which it could not use.
std::string place_of_dumps() {
  const char* asked = std::getenv("TMPDIR");
  return asked != nullptr && *asked != '\0' ? asked : "/tmp";
}

TemporaryDirectory::TemporaryDirectory() {
  path_ = place_of_dumps() + "/tlbench.XXXXXX";
  if (mkdtemp(path_.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot make the directory '" + path_ + "'");
  path_ = fs::canonical(path_).string();
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> clean_environment() {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (variable.substr(0, 3) != "TL_" && variable.substr(0, 11) != "LD_PRELOAD=") out.emplace_back(variable);
  }
  return out;
}

std::vector<std::string> environment_under(const std::string& preloaded) {
  std::vector<std::string> out = clean_environment();
  out.push_back("LD_PRELOAD=" + preloaded);
  return out;
}

std::vector<std::string> environment_under(const std::string& library, const std::string& dump,
                                           std::string_view alloc) {
  std::vector<std::string> out = environment_under(library);
  out.push_back("TL_OUTPUT=" + cli::as_output(dump));
  if (!alloc.empty()) out.push_back("TL_ALLOC=" + std::string(alloc));
  return out;
}

pid_t start(Child child) {
  const std::vector<char*> argv = pointers_to(child.arguments), envp = pointers_to(child.environment);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a process");
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  if (child.watched_alone) setsid();
  if (child.output >= 0) dup2(child.output, STDOUT_FILENO);
  for (const int descriptor : child.descriptors) fcntl(descriptor, F_SETFD, 0);
  execve(child.program.c_str(), argv.data(), envp.data());
  _exit(127);
}

int wait_for(pid_t pid, rusage* usage) {
  int status = 0;
  while (wait4(pid, &status, 0, usage) < 0 && errno == EINTR) continue;
  return status;
}

std::string why_bad(int status) {
  if (WIFSIGNALED(status)) return fmt::format("its process was ended by signal {}", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return fmt::format("its process ended with status {}", WEXITSTATUS(status));
  return {};
}

std::string printed_by(const std::string& command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  const pid_t pid = start({.program = "/bin/sh",
                           .arguments = {"sh", "-c", "exec 2>/dev/null; " + command},
                           .environment = clean_environment(),
                           .output = ends[1],
                           .watched_alone = true});
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n > 0) said.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) break;
  }
  close(ends[0]);
  if (!why_bad(wait_for(pid)).empty()) return {};
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return said;
}

}  // namespace tl::tlbench
