// The tables of the summary. Each begins with an empty line and its heading; empty where there is nothing to show.
#pragma once

#include <string>

#include "analyze/report.h"
#include "render/summary.h"

namespace tl::render {

std::string scopes_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);
// Of scopes with intended begins: a row of each time, one below the other.
std::string responses_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);
std::string values_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);
std::string pulses_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);
std::string marks_text(const analyze::Report& report, const SummaryOptions& options, const Style& style);
// Time inside the allocator, by thread and size class.
std::string places_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);
std::string calls_table(const analyze::Report& report, const Style& style);
std::string threads_table(const analyze::Report& report, const SummaryOptions& options, const Style& style);

// Of so many rows of a table.
std::size_t shown_rows(std::size_t all, const SummaryOptions& options);
// "... and 12 more (how)" below a table that shows fewer rows than there are.
std::string left_out(std::size_t all, std::size_t shown, const char* how, const Style& style);

}  // namespace tl::render
