// From a dump to the report of `tlreport summary`.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "read/dump.h"

namespace tl::analyze {

Report summarize(read::Dump& dump, const Filter& filter, const Commands& commands = {});

// Scopes by name and allocations of several reports as one; histograms are merged, threads and processes are not. A
// report in ticks of unknown length is left out, and its `partial` line says so.
Report merge(const std::vector<Report>& reports);

// Parts of the report, each from the dump alone.
std::vector<std::string> partial_reasons(const read::Dump& dump, const Losses& losses);
Losses count_losses(const read::Dump& dump, const Filter& filter);
std::vector<ThreadRow> list_threads(const read::Dump& dump, const Filter& filter);
// Also counts clock anomalies.
std::vector<ScopeRow> measure_scopes(read::Dump& dump, const Filter& filter, std::optional<double> duration_ns,
                                     Arena& arena, ClockFacts& clock);
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
