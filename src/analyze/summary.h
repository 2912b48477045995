// From a dump to the report of `tlreport summary`.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "read/dump.h"

namespace tl::analyze {

// Times of scopes as they were measured, or without what recording itself took; where that is not known, as measured,
// and Report::why_not_corrected says so.
enum class View { raw, corrected };
Report summarize(read::Dump& dump, const Filter& filter, const Commands& commands = {}, View view = View::raw);

// Scopes, values and pulses by name and allocations of several reports as one; histograms are merged, threads,
// processes and marks are not.
Report merge(const std::vector<Report>& reports);
// Empty, or why a report is in no merged number: its ticks are of unknown length, or its view is not that of the
// others. The merged report's `partial` line says so.
std::string why_not_merged(const std::vector<Report>& reports, const Report& report);

// Parts of the report, each from the dump alone.
std::uint64_t records_elsewhere(const read::Dump& dump);  // in parts of it that are not among the files
std::vector<std::string> part_reasons(const read::Dump& dump);
std::vector<std::string> partial_reasons(const read::Dump& dump, const Losses& losses);
Losses count_losses(const read::Dump& dump, const Filter& filter);
std::vector<ThreadRow> list_threads(const read::Dump& dump, const Filter& filter);
// Fills scopes, values and pulses, and counts clock anomalies.
void measure_records(read::Dump& dump, const Filter& filter, Report& report);
FileFacts file_facts(const read::Dump& dump);
std::optional<ProcessFacts> process_facts(const read::Dump& dump);
std::string scope_name(const read::Facts& facts, std::uint32_t id);
std::vector<MarkRow> list_marks(const read::Dump& dump, const Filter& filter);

OwnCost own_cost_of(const read::Dump& dump);
// The bit of ScopeRow::ways for a scope of these modes.
inline unsigned way_of(dump::RecordKind scope) {
  const unsigned begin = static_cast<unsigned>(scope) >> 2, end = static_cast<unsigned>(scope) & 3;
  return begin < dump::kStampModes && end < dump::kStampModes ? dump::kStampModes * begin + end : kUnknownWay;
}
// Below which a time of a row is no time of the program, half of the tenth to which times are kept allowed for; none
// where that is not known of each of its samples. Spans have none: nothing of ours lies between their stamps.
//
// As measured: less than an empty scope measures in the middle (p50), of the cheapest modes in the row. It is what
// recording takes and the step of the clock.
// Corrected: what was measured is no more than 99 of 100 empty scopes measure, of the modes in the row that scatter
// most. What remains of it cannot be told from nothing.
std::optional<double> floor_of(unsigned ways, const OwnCost& cost, bool corrected);
Allocations measure_allocations(read::Dump& dump, const Filter& filter, Arena& arena);
// In words: the slowest thing, where, and the next command.
std::vector<std::string> headline_of(const Report& report, const Commands& commands);
// "Next: ..." and how to get what is not there.
std::vector<std::string> next_steps(const Report& report, const Commands& commands);

// "worker-3 (#3)", "#3" if it has no name, and for calls that threads made after their end what they are.
std::string thread_label(const read::Dump& dump, std::uint32_t serial);
bool is_orphan(const read::Thread& thread);  // no thread: what threads did after their own end
bool thread_selected(const read::Dump& dump, std::uint32_t serial, const Filter& filter);

}  // namespace tl::analyze
