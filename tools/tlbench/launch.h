// Runs a case in a process of its own, and checks its dump against what it says that it did.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/loss_cause.h"
#include "tlbench/cases.h"
#include "tlbench/measured.h"

namespace tl::tlbench {

// What the dump says of the scopes that were begun.
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

// Where dumps are written, each in a directory of its own: TMPDIR or /tmp.
std::string place_of_dumps();

// `library`: to be preloaded, where the case wants it.
Outcome run_case(const Suite& suite, const Case& of, const Plan& plan, const std::string& library);

}  // namespace tl::tlbench
