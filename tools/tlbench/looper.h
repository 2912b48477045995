// A process whose threads run an operation on command, so that several such processes, each with other libraries under
// it, can be compared slice by slice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlbench/cases.h"
#include "tlbench/turns.h"

namespace tl::tlbench {

constexpr char kLooperArgument[] = "--looper";  // first of its arguments; the one that follows is JSON

// Serves until its descriptors are closed at the other end. Returns the exit status.
int loop(const std::vector<std::string>& arguments);

// The other end, in the process that compares.
class Looper {
 public:
  enum class Under { nothing, forwarder, library };

  // Of so many threads, which start at once and do nothing yet; `cpus` as in Plan.
  Looper(Under under, unsigned threads, const std::vector<int>& cpus, std::vector<std::string> environment);
  ~Looper();
  Looper(const Looper&) = delete;
  Looper& operator=(const Looper&) = delete;

  // All threads at once, each as many batches as there are places; the ticks are of the first, the times the mean.
  Times take(std::vector<std::uint64_t>& ticks);
  // Empty, or why it did not end well.
  std::string end();
  // What all threads together have run, from the first on.
  std::uint64_t operations() const { return operations_; }
  const std::string& version() const { return version_; }  // the library's; empty: there is none

 private:
  std::vector<int> sockets_;  // one of each thread
  pid_t pid_ = -1;
  std::uint64_t operations_ = 0;
  std::string version_;
};

}  // namespace tl::tlbench
