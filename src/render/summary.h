// The summary as text for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "analyze/report.h"
#include "render/table.h"

namespace tl::render {

struct SummaryOptions {
  std::vector<std::string> percentiles = {"50", "90", "99", "99.9", "99.99"};  // as they were asked for
  std::vector<std::string> value_percentiles = {"50", "90", "99", "99.9"};     // of the program's own numbers
  unsigned rows = 40;  // of a table in text; what is left out is counted. 0: all
};

std::string summary_text(const analyze::Report& report, const SummaryOptions& options, const Style& style);
// The table of several files together.
std::string merged_text(const analyze::Report& merged, std::size_t files, const SummaryOptions& options,
                        const Style& style);

// One object, or where `several` files were asked for {"schema", "reports", "merged"} (null without `merged`); ends
// with a newline.
std::string summary_json(const std::vector<analyze::Report>& reports, const analyze::Report* merged,
                         const SummaryOptions& options, bool several = false);

}  // namespace tl::render
