// What a dump holds, what it lacks, and whether its numbers agree with each other: `tlreport check`.
#pragma once

#include "analyze/report.h"
#include "read/dump.h"

namespace tl::analyze {

struct BlockRow {
  unsigned type = 0;
  std::string name;  // "unknown" for a type of a later version
  std::uint64_t blocks = 0, bytes = 0, records = 0;
};

struct Rule {
  std::string text;
  std::optional<bool> holds = true;  // none: what it compares is not in the file
  std::string detail;                // where it does not hold, or what it does not cover
};

struct Check {
  FileFacts file;
  std::string program;
  unsigned version = 0;
  std::vector<BlockRow> blocks;
  std::uint64_t records = 0, scopes = 0, duplicates = 0, threads = 0, names = 0, anchors = 0;
  std::optional<double> bytes_per_record;  // of the blocks that hold ring records
  std::vector<Rule> rules;
  std::vector<std::string> missing;  // one line each
  bool whole = false;
};

Check check(read::Dump& dump);

}  // namespace tl::analyze
