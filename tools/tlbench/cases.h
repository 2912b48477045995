// The cases of a suite as data: what is timed against what, and what a case should cost at most.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tlbench/timed.h"

namespace tl::tlbench {

// One of the things that are timed in turn.
struct Part {
  std::string_view name;
  Operation operation = nullptr;
  bool records = false;  // each operation is a record of the library
  unsigned threads = 1;
};

enum class Method {
  slices,  // long runs of the operation, in turn with its reference
  paused,  // the same while recording is paused
  cold,    // the first operation of a fresh thread, in turn with that of its reference in another
};

// What a case should stay within. Shown beside the figures; a figure above it fails nothing, since it may be the
// machine's doing.
struct Limit {
  std::optional<double> ratio = {};
  std::optional<double> ns = {};
};

struct Case {
  std::string_view name;
  std::string_view what;  // one operation, in words
  Method method = Method::slices;
  Part part;
  Part reference;
  std::optional<Part> floor = {};  // timed as well, where the reference is not the floor itself
  bool with_library = true;
  std::vector<const char*> calls = {};  // of the library; without one of them the case cannot be run
  Limit limit = {};
};

const std::vector<Case>& scope_cases();
const Case* find_case(std::string_view name);

}  // namespace tl::tlbench
