// Processes that this tool starts, and what must not outlive it.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <csignal>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace tl::tlbench {

// The signal that this process was sent meanwhile; 0: none.
extern volatile std::sig_atomic_t interrupted;

// While there is one, a signal ends nothing: children end in order first, so that neither shared memory nor a directory
// stays behind. SIGINT from a terminal reaches them too.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[std::size(kSignals)];
};

// Where dumps are written, each in a directory of its own: TMPDIR or /tmp.
std::string place_of_dumps();

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Ours, without what would change what is measured: the shipped defaults are those of an empty environment.
std::vector<std::string> clean_environment();
std::vector<std::string> environment_under(const std::string& preloaded);
// The same under the library, which is to write that dump. `alloc`: TL_ALLOC; empty: as shipped.
std::vector<std::string> environment_under(const std::string& library, const std::string& dump, std::string_view alloc);

struct Child {
  std::string program;                 // its path
  std::vector<std::string> arguments;  // its own name first
  std::vector<std::string> environment;
  std::vector<int> descriptors = {};  // of ours, to be open there too
  int output = -1;                    // its stdout, where it is not ours
  bool watched_alone = false;         // signals of a terminal do not reach it
};

// Ended by SIGTERM, should this process end first. Throws where there can be no other.
pid_t start(Child child);
int wait_for(pid_t pid, rusage* usage = nullptr);  // its status
std::string why_bad(int status);                   // empty: it ended with 0

// What a command of the shell prints, without the end of the line; empty: it failed.
std::string printed_by(const std::string& command);

}  // namespace tl::tlbench
