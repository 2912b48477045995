// What the tools' exit statuses mean. Scripts rely on the numbers.
#pragma once

namespace tl::cli {

// tlreport and its kin. Where several apply: usage before unusable before finding before partial.
enum class Exit : int {
  fine = 0,
  finding = 1,   // a gate or finding fails
  usage = 2,     // wrong usage
  unusable = 3,  // nothing usable in the file
  partial = 4,   // usable, but cut, damaged, not closed, still running, or records were lost
};

constexpr int status_of(Exit code) { return static_cast<int>(code); }

// tlrun passes the program's own status on; these are its own, as `env` and the shell have them.
constexpr int kLauncherFailed = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

}  // namespace tl::cli
