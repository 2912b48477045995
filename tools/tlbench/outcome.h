// What came of a case: its times, and what its dump says of what was done.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/loss_cause.h"
#include "tlbench/measured.h"

namespace tl::tlbench {

// What dumps say of what was begun: scopes, or calls of the allocator.
struct Counts {
  std::uint64_t recorded = 0, lost = 0;
  std::array<std::uint64_t, kLossCauses> by_cause{};
  std::uint64_t bytes = 0;  // of the whole file
};

struct Outcome {
  std::string failure;  // empty, or why there is no result
  Measured measured;
  std::optional<Counts> counts;  // none: it ran without the library
  std::string disagreement;      // empty, or how the dump and the process disagree
  int interrupted_by = 0;        // a signal to this process, which is to end
};

// recorded + lost = begun, each from another place: the records in the dump, the library's counters and the gaps in
// the dump, and the worker's own loops.
void check_scopes(const std::string& path, Outcome& outcome);

// counted = begun, to the call, half of them malloc of so many bytes and half free: what `threads` threads did, the
// first that the process made, which called nothing else. `timed`: each has a time, too.
struct Calls {
  unsigned threads = 1;
  std::uint64_t bytes = 0;
  bool timed = false;
};
void check_calls(const std::string& path, const Calls& calls, Outcome& outcome);

// Adds what one run of a program left; nobody else knows how many calls it made.
void add_calls(const std::string& path, Outcome& outcome);

}  // namespace tl::tlbench
