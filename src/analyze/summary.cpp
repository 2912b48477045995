#include "analyze/summary.h"

#include <algorithm>

namespace tl::analyze {

namespace {

const char* ended_text(const read::Dump& dump) {
  if (dump.liveness() == read::Liveness::running) return "running";
  if (dump.liveness() == read::Liveness::unknown) return dump.found_dead() ? "killed" : "";
  switch (dump.facts().end->reason) {
    case read::EndReason::exit:
      return "exit";
    case read::EndReason::exec:
      return "exec";
    case read::EndReason::signal:
      return "signal";
    case read::EndReason::continued:
      return "running";
    case read::EndReason::killed:
      break;
  }
  return "killed";
}

// From the first anchor to the last thing known of the process. Whoever reads what it left adds an anchor of a later
// time: where its own end is known that counts, and of a killed one, which was found dead at any time, only what it
// did.
std::optional<double> duration_of(const read::Dump& dump) {
  const read::Facts& facts = dump.facts();
  const auto& anchors = dump.clock().anchors();
  if (anchors.empty() || !dump.clock().rate_known()) return std::nullopt;
  std::uint64_t last = facts.last_ticks;
  for (const auto& [serial, thread] : facts.threads)
    if (thread.info) last = std::max(last, thread.info->end_ticks);
  const bool end_known = facts.end && !dump.found_dead();
  const std::size_t own_anchors = anchors.size() - (dump.found_dead() ? 1 : 0);
  if (end_known)
    last = std::max(last, facts.end->ticks);
  else if (own_anchors > 0)
    last = std::max(last, anchors[own_anchors - 1].ticks);
  if (last <= anchors.front().ticks) return std::nullopt;  // nothing tells how long it lived
  return dump.clock().ns_at(last);
}

// What the correction leaves in.
void describe_correction(Report& report) {
  std::string not_known;
  for (unsigned pair = 0; pair < kPairs; ++pair)
    if ((report.ways >> pair & 1) != 0 && !report.cost.pairs[pair])
      not_known += std::string(not_known.empty() ? "" : ", ") + kPairNames[pair];
  if ((report.ways >> kUnknownWay & 1) != 0)
    not_known += not_known.empty() ? "modes of a later version" : " and others";
  if (!not_known.empty())
    report.notes.push_back("not corrected, since what they take is not in the dump: scopes of " + not_known);
  report.notes.push_back(
      "corrected are service times of scopes, by what the modes of their stamps take; response times, gaps between "
      "pulses, spans, and what pulses, values and marks take inside a scope are as measured");
}

void describe_what_is_missing(const read::Dump& dump, Report& report) {
  const read::Facts& facts = dump.facts();
  if (!dump.clock().complaint().empty())
    report.not_observable.push_back(std::string("time: ") + dump.clock().complaint());
  if (!report.allocations.counted && facts.process)
    report.not_observable.push_back("allocations: not counted (TL_ALLOC=off)");
  else if (!report.allocations.observable)
    report.not_observable.push_back(std::string("allocations: ") + report.allocations.why_not);
  report.not_observable.push_back(
      "causes (page faults, preemption, blocking, locks): this version does not record kernel events");

  if (dump.read_from_memory())
    report.notes.push_back(
        "read from /dev/shm, where it waits until its file can be written: a later report writes it, once there is "
        "room");
  if (facts.unknown_blocks > 0)
    report.notes.push_back(counted(facts.unknown_blocks, "block of a kind that this version does not know was",
                                   "blocks of a kind that this version does not know were") +
                           " passed over");
  const Allocations& allocations = report.allocations;
  if (allocations.counted && allocations.observable && !allocations.coverage().empty())
    report.notes.push_back("allocations: " + allocations.coverage());
  for (const auto& [serial, thread] : facts.threads) {
    if (!thread.info || !thread.info->orphan || !thread.counters) continue;
    std::uint64_t calls = 0;
    for (const read::CallCount& row : thread.counters->calls) calls += row.calls;
    const bool of_others = thread.counters->lost[static_cast<unsigned>(LossCause::disk_full)] > 0;
    const char* whose = serial == dump::kNoThread ? "of threads that ended in parts which are not among the files"
                        : of_others               ? "of threads for whose own counts the dump had no room"
                                                  : "made by threads after their own end";
    if (calls > 0)
      report.notes.push_back(counted(calls, "allocation call", "allocation calls") + " " + whose +
                             ": in the totals, in no thread's row");
  }
  const auto left_out = [&](std::uint64_t more, const char* one, const char* many) {
    if (more > 0) report.notes.push_back("beyond those that are shown there are " + counted(more, one, many));
  };
  left_out(facts.losses.more, "range of losses (counted all the same)", "ranges of losses (counted all the same)");
  left_out(facts.marks.more, "mark", "marks");
  left_out(facts.warnings.more, "warning of the recorder", "warnings of the recorder");
  std::uint64_t unbinned = 0;
  for (const CallLatency& row : report.allocations.latency) unbinned += row.latency.histogram.unbinned();
  if (unbinned > 0)
    report.notes.push_back(counted(unbinned, "timed call is", "timed calls are") +
                           " in counts, sums and extremes but not in percentiles (no memory for their buckets)");
  if (!report.why_not_corrected.empty()) report.notes.push_back(report.why_not_corrected);
  if (report.corrected) describe_correction(report);
  if (report.clock.anomalies > 0) {
    report.notes.push_back(
        "clock anomalies: " +
        counted(report.clock.anomalies, "time ends before it begins", "times end before they begin") + " (worst by " +
        time_words(-report.clock.worst_anomaly_ns, report.clock.unit()) + "); they are in no percentile");
  }
}

// Empty, or which filter leaves nothing, with what there is to choose from.
std::string unmatched_filter(const read::Dump& dump, const Filter& filter, const Report& report) {
  static constexpr std::size_t kShown = 8;
  const auto choice = [](const std::vector<std::string>& names) {
    if (names.empty()) return std::string("it has none");
    std::string out = "it has ";
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) out += (i > 0 ? ", " : "") + names[i];
    return out + (names.size() > kShown ? ", ..." : "");
  };
  std::vector<std::string> names;
  if (filter.thread && report.threads.empty()) {
    for (const ThreadRow& row : list_threads(dump, {})) names.push_back(thread_label(dump, row.serial));
    return "No thread of this dump matches --thread " + shell_quoted(filter.thread_text) + "; " + choice(names) + ".";
  }
  if (filter.scope && report.scopes.empty() && report.values.empty() && report.pulses.empty()) {
    for (const auto& name : dump.facts().names)
      if (name) names.push_back(*name);
    return "No scope of this dump matches --scope " + shell_quoted(filter.scope_text) + "; " + choice(names) + ".";
  }
  return {};
}

}  // namespace

std::optional<ProcessFacts> process_facts(const read::Dump& dump) {
  const auto& info = dump.facts().process;
  if (!info) return std::nullopt;
  ProcessFacts out;
  out.pid = info->pid;
  out.parent_pid = info->parent_pid;
  out.program = info->program;
  out.host = info->host;
  out.command = info->command;
  out.command_cut = info->command_cut;
  if (info->command_cut) out.command.push_back("...");
  out.start_unix_ns = info->start_unix_ns;
  out.duration_ns = duration_of(dump);
  out.ended = ended_text(dump);
  out.goes_on_elsewhere = dump.facts().end && dump.facts().end->reason == read::EndReason::continued;
  if (dump.facts().end) out.signal_number = dump.facts().end->signal_number;
  return out;
}

std::vector<MarkRow> list_marks(const read::Dump& dump, const Filter& filter) {
  std::vector<MarkRow> rows;
  for (const read::Mark& mark : dump.facts().marks.first)
    if (thread_selected(dump, mark.thread, filter))
      rows.push_back({mark.thread, thread_label(dump, mark.thread), dump.clock().ns_at(mark.ticks), mark.text});
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  return rows;
}

Report summarize(read::Dump& dump, const Filter& filter, const Commands& commands, View view) {
  const read::Facts& facts = dump.facts();
  Report report;
  report.file = file_facts(dump);
  report.process = process_facts(dump);
  if (facts.process) report.clock.source = facts.process->clock_is_tsc ? "tsc" : "clock_gettime";
  report.clock.rate_known = dump.clock().rate_known();
  if (dump.clock().rate_known()) report.clock.ticks_per_ns = dump.clock().ticks_per_ns();
  if (dump.clock().error_ppm() >= 0) report.clock.error_ppm = dump.clock().error_ppm();
  report.losses = count_losses(dump, filter);
  report.cost = own_cost_of(dump);
  report.corrected = view == View::corrected && report.cost.any_pair();
  if (view == View::corrected && !report.corrected)
    report.why_not_corrected =
        "cannot be corrected: what recording itself takes is not in the dump (not observable); "
        "times are as measured";
  measure_records(dump, filter, report);
  report.marks = list_marks(dump, filter);
  report.allocations = measure_allocations(dump, filter, *report.arena);
  report.threads = list_threads(dump, filter);
  for (const read::Warning& warning : facts.warnings.first) report.warnings.push_back({warning.code, warning.text});
  // A filter narrows what is shown, not what is wrong with the dump.
  report.partial = partial_reasons(dump, filter.thread ? count_losses(dump, {}) : report.losses);
  report.file.complete = !facts.damaged() && facts.contradictory_blocks == 0 && facts.process &&
                         dump.liveness() == read::Liveness::ended && facts.end->reason != read::EndReason::killed &&
                         facts.end->reason != read::EndReason::signal && part_reasons(dump).empty() &&
                         report.losses.not_in_file == 0;
  describe_what_is_missing(dump, report);
  report.narrowed = filter.scope || filter.thread;
  const std::string unmatched = unmatched_filter(dump, filter, report);
  report.nothing_matches = !unmatched.empty();
  report.headline = report.nothing_matches ? std::vector<std::string>{unmatched} : headline_of(report, commands);
  return report;
}

}  // namespace tl::analyze
