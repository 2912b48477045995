// Runs the program as if tlrun were not there: same standard streams, same signals, same end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tlrun/program.h"

namespace tlrun {

struct Ended {
  pid_t pid = 0;
  int exec_error = 0;               // errno of an exec that failed, or of fork: nothing ran
  int status = 0;                   // as waitpid gives it
  std::uint64_t start_unix_ns = 0;  // just before the program was started
  std::uint64_t process_start = 0;  // as in /proc/PID/stat: with the pid it is the program's for ever
};

// `variables` are whole NAME=VALUE words, put in place of what the environment holds under these names. TL_FOLLOW
// is added, with the program's pid and start, by which all its descendants know whose they are.
Ended run(const Program& program, const std::vector<std::string>& command, std::vector<std::string> variables,
          bool follow_children);

// Exit status of the program, or 128 and its signal, as a shell says it.
int shell_status(int status);

// Ends this process as the program ended: with its exit status, or of its signal (without a core file of our own).
[[noreturn]] void end_like(int status);

}  // namespace tlrun
