// The cases of the suites as data: what is timed against what, and what a case should cost at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tlbench/timed.h"

namespace tl::tlbench {

// One of the things that are timed against each other.
struct Part {
  std::string_view name;
  Operation operation = nullptr;
  bool records = false;  // each operation is a record of the library
  unsigned threads = 1;
};

enum class Method {
  slices,   // long runs of the operation, in turn with its reference
  paused,   // the same while recording is paused
  cold,     // the first operation of a fresh thread, in turn with that of its reference in another
  stretch,  // the operation without a break, its reference before and after
  paced,    // items at a rate of their own: not timed
  beside,   // slices of the operation in three processes: under the library, the bare forwarder, and nothing
  program,  // whole runs of a program, with the library and without in turn
};

// What a case should stay within. Shown beside the figures; a figure beyond it fails nothing, since it may be the
// machine's doing.
struct Limit {
  std::optional<double> ratio = {};
  std::optional<double> ns = {};
  std::optional<double> share_of_flat_out = {};  // at least
  std::optional<double> bytes_per_record = {};
  std::optional<double> records_per_s = {};  // at least
  std::optional<std::uint64_t> lost = {};
};

struct Case {
  std::string_view name;
  std::string_view what;  // one operation, in words
  Method method = Method::slices;
  double weight = 1;  // its part of the suite's time is that much, beside the others' weights
  Part part;
  Part reference = {};             // without a name: there is none
  std::optional<Part> floor = {};  // timed as well, where the reference is not the floor itself
  double idle_share = 0;           // of its time: nothing is recorded before the stretch, which is a burst then
  bool with_library = true;
  std::string_view alloc = {};          // TL_ALLOC; empty: as shipped
  std::string_view program = {};        // which
  bool encodes = false;                 // operations are records into blocks
  bool sized = false;                   // what a record takes on the disk is a figure of it
  bool in_every_cpu = true;             // false: needs AVX2
  std::vector<const char*> calls = {};  // of the library; without one of them the case cannot be run
  Limit limit = {};
};

struct Suite {
  std::string_view name;
  std::string_view heading;
  std::string_view note;  // how to read its figures
  std::vector<Case> cases;
  bool same_cpus = false;                    // its threads are pinned in any case
  std::vector<std::string_view> later = {};  // cases that this version does not have yet
};

Suite scope_suite();
Suite malloc_suite();
Suite drain_suite();

const std::vector<Suite>& suites();  // in the order of `all`
const Suite* find_suite(std::string_view name);
const Case* find_case(const Suite& suite, std::string_view name);

}  // namespace tl::tlbench
