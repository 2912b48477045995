#include "tlrun/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "os/identity.h"

extern char** environ;

namespace tlrun {

namespace {

// What somebody may send to tlrun and means for the program. Stops go to tlrun itself, as they do to a shell's child;
// faults are never sent by others.
sigset_t forwarded_signals() {
  sigset_t set;
  sigfillset(&set);
  for (const int number : {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
                           SIGTRAP, SIGABRT, SIGSYS, SIGPIPE})
    sigdelset(&set, number);
  return set;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    bool replaced = false;
    for (const std::string& variable : variables)
      replaced |= std::strncmp(*entry, variable.c_str(), variable.find('=') + 1) == 0;
    if (!replaced) result.emplace_back(*entry);
  }
  result.insert(result.end(), variables.begin(), variables.end());
  return result;
}

// In the child. A file that is no program for the kernel goes to the shell, as execvp does it.
[[noreturn]] void become(const char* path, char** arguments, char** shell_arguments, char** environment, int report) {
  execve(path, arguments, environment);
  if (errno == ENOEXEC) execve("/bin/sh", shell_arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t n = write(report, &error, sizeof error);
  _exit(127);
}

// The program must see its readers and writers go when it closes its side: keep nothing but stderr for our own lines.
void let_go_of_streams() {
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) return;
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  close_range(STDERR_FILENO + 1, ~0u, 0);
}

// A key typed at the terminal reaches the program by itself, since it is in the same process group (the kernel is the
// sender then); what a process sent to tlrun alone is passed on, unless the program itself sent it to its whole group.
void wait_and_forward(Ended& ended, const sigset_t& signals) {
  while (true) {
    siginfo_t information;
    const int number = sigwaitinfo(&signals, &information);
    if (number < 0) continue;
    if (number != SIGCHLD) {
      const bool sent = information.si_code <= 0;
      if (sent && information.si_pid != ended.pid) kill(ended.pid, number);
      continue;
    }
    const pid_t pid = waitpid(ended.pid, &ended.status, WNOHANG);
    if (pid == ended.pid || (pid < 0 && errno == ECHILD)) return;
  }
}

}  // namespace

Ended run(const Program& program, const std::vector<std::string>& command, std::vector<std::string> variables,
          bool follow_children) {
  std::vector<std::string> shell = command;
  shell.insert(shell.begin() + 1, program.path);
  shell[0] = "sh";
  const std::vector<char*> arguments = pointers_to(command), shell_arguments = pointers_to(shell);

  Ended ended;
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    ended.exec_error = errno;
    return ended;
  }
  const sigset_t signals = forwarded_signals();
  sigset_t mask;
  sigprocmask(SIG_BLOCK, &signals, &mask);
  struct sigaction child_action {
  }, default_action{};
  default_action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &default_action, &child_action);  // ignored, the status would be lost

  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  ended.start_unix_ns =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
  ended.pid = fork();
  if (ended.pid == 0) {
    sigaction(SIGCHLD, &child_action, nullptr);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    variables.push_back(fmt::format("TL_FOLLOW={}:{}:{}", follow_children ? 1 : 0, getpid(), tl::os::process_start(0)));
    const std::vector<std::string> environment = environment_with(variables);
    become(program.path.c_str(), const_cast<char**>(arguments.data()), const_cast<char**>(shell_arguments.data()),
           pointers_to(environment).data(), report[1]);
  }
  if (ended.pid < 0) {
    ended.exec_error = errno;
    return ended;
  }
  close(report[1]);
  ended.process_start = tl::os::process_start(static_cast<std::uint32_t>(ended.pid));  // it is not waited for yet
  if (read(report[0], &ended.exec_error, sizeof ended.exec_error) > 0) {
    waitpid(ended.pid, &ended.status, 0);
    return ended;
  }
  let_go_of_streams();
  signal(SIGPIPE, SIG_IGN);
  wait_and_forward(ended, signals);
  return ended;
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    const int number = WTERMSIG(status);
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), number);
  }
  _exit(shell_status(status));
}

}  // namespace tlrun
