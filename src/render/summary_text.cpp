// The summary for people: in words first, then losses and what was not observable, then the tables.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/words.h"
#include "render/summary.h"
#include "render/summary_tables.h"
#include "render/text_escape.h"

namespace tl::render {

namespace {

using analyze::count_words;
using analyze::counted;
using analyze::Report;

std::string how_it_ended(const analyze::ProcessFacts& process) {
  if (process.ended.empty()) return "end not in the file";
  if (process.goes_on_elsewhere) return "goes on in a later part";
  if (process.ended == "running" || process.ended == "killed") return process.ended;
  if (process.ended == "signal") return "killed by " + analyze::signal_words(process.signal_number);
  return "ended by " + process.ended;
}

std::string holds(const Report& report) {
  if (report.file.records > 0) return counted(report.file.records, "record");
  if (report.allocations.all_calls() > 0)
    return counted(report.allocations.all_calls(), "allocation call") + " counted, no scope records";
  return "no records";
}

std::string who(const Report& report) {
  std::string line = visible(report.file.path);
  const auto& parts = report.file.parts;
  const bool rotated = !parts.empty() && !(parts.size() == 1 && parts.front().number == 1 && report.partial.empty());
  if (rotated) line += fmt::format(", part {} of a rotated dump", parts.front().number);
  if (parts.size() > 1) line += fmt::format(", and {} more to part {}", parts.size() - 1, parts.back().number);
  if (report.process) {
    const analyze::ProcessFacts& p = *report.process;
    line += fmt::format(": {} (pid {}) on {}", visible(p.program), p.pid, visible(p.host));
    if (p.duration_ns) line += ", " + analyze::time_words(*p.duration_ns);
    line += ", " + how_it_ended(p);
  }
  if (report.partial.empty()) return line + "; " + holds(report) + ", complete";
  return line + "; " + holds(report) + (report.losses.records > 0 ? ", others lost" : "");
}

std::string clock_words(const analyze::ClockFacts& clock) {
  std::string line = clock.source == "tsc"             ? "Clock: time stamp counter"
                     : clock.source == "clock_gettime" ? "Clock: clock_gettime, since the time stamp counter was not "
                                                         "fit or not wanted; coarser, and each stamp costs more"
                                                       : "Clock: not told by the file";
  if (!clock.rate_known) return line + ", at a rate that is not known: all times are in its ticks";
  if (clock.source != "tsc" || !clock.ticks_per_ns) return line;
  line += fmt::format(", {:.4g} ticks a ns", *clock.ticks_per_ns);
  return clock.error_ppm ? line + fmt::format(", error at most {:.2g} ppm", *clock.error_ppm) : line;
}

std::string cost_words(double time, analyze::TimeUnit unit) {
  if (unit == analyze::TimeUnit::ticks || time >= 999.5) return analyze::time_words(time, unit);
  return fmt::format("{:.3g} ns", time);  // the step of a clock is a fraction of one
}

// "fast", or where a scope begins and ends otherwise "fast/hard".
std::string pair_words(unsigned pair) {
  const std::string name = analyze::kPairNames[pair];
  const std::size_t middle = name.find('_');
  const std::string begin = name.substr(0, middle), end = name.substr(middle + 1);
  return begin == end ? begin : begin + "/" + end;
}

// Of the modes that the dump's scopes have.
std::string own_cost_text(const Report& report, const Style& style) {
  if (!report.cost.any_pair() && !report.cost.step_ns)
    return wrapped("Own cost: not observable, not measured in this dump", style, 2);
  const analyze::TimeUnit unit = report.clock.unit();
  const auto ways = report.ways & ((1u << analyze::kPairs) - 1);
  const bool several = (ways & (ways - 1)) != 0;
  std::string line = "Own cost:", floors;
  for (unsigned pair = 0; pair < analyze::kPairs; ++pair) {
    if (((ways == 0 ? 1 : ways) >> pair & 1) == 0) continue;
    const auto& empty = report.cost.pairs[pair];
    line += fmt::format(" an empty {} pair ", pair_words(pair));
    line += empty ? fmt::format("measures {} (p99 {}) and takes {},", cost_words(empty->p50_ns, unit),
                                cost_words(empty->p99_ns, unit), cost_words(empty->whole_ns, unit))
                  : "is not observable,";
    if (empty)
      floors += fmt::format("{}{}{}", floors.empty() ? "" : ", ",
                            cost_words(report.corrected ? empty->p99_ns : empty->p50_ns, unit),
                            several ? " for a " + pair_words(pair) + " pair" : "");
  }
  line += " timer step " + (report.cost.step_ns ? cost_words(*report.cost.step_ns, unit) : "not observable");
  const bool below = std::any_of(report.scopes.begin(), report.scopes.end(), [](const analyze::ScopeRow& row) {
    return row.latency.count() > 0 && row.below_floor(row.latency.min_ns());
  });
  std::string out = wrapped(line, style, 2);
  if (below)  // on a line of its own, that the word is not broken
    out += wrapped(report.corrected
                       ? "'< floor': measured no more than an empty one may, " + floors +
                             "; what remains cannot be told from nothing"
                       : "'< floor': less than an empty one measures, " + floors + "; no time of the program's",
                   style, 2);
  return out;
}

// "Not closed: ..." as it is: beside a sentence that nothing is missing, "partial" would contradict it.
std::string partial_words(const std::string& reason) {
  constexpr std::string_view kNotClosed = "not closed";
  return reason.rfind(kNotClosed, 0) == 0 ? "Not closed" + reason.substr(kNotClosed.size()) : "Partial: " + reason;
}

std::string losses_text(const Report& report, const Style& style) {
  std::string out;
  for (const std::string& reason : report.partial) out += wrapped(visible(partial_words(reason)), style, 2);
  const std::size_t shown = std::min<std::size_t>(report.losses.ranges.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::LossSpan& span = report.losses.ranges[i];
    out += wrapped(fmt::format("  lost {} on thread #{} from {} to {}{}", count_words(span.records), span.thread,
                               analyze::time_words(span.from_ns, report.clock.unit()),
                               analyze::time_words(span.to_ns, report.clock.unit()),
                               span.cause.empty() ? "" : std::string(" (") + span.cause + ")"),
                   style, 4);
  }
  out += left_out(report.losses.ranges.size(), shown, "--json shows them", style);
  for (const std::string& line : report.losses.advice) out += wrapped("To lose none: " + line, style, 2);
  const bool all_told = report.process && !report.process->ended.empty() && report.allocations.coverage().empty();
  if (report.losses.records == 0)
    out += std::string(report.losses.of_threads ? "Lost by the threads shown" : "Lost") +
           (all_told ? ": nothing\n" : ": nothing that the file tells of\n");
  for (const std::string& text : report.not_observable)
    out += wrapped(std::string("Not observable: ") + visible(text), style, 2);
  for (const std::string& text : report.notes) out += wrapped(std::string("Note: ") + visible(text), style, 2);
  for (const analyze::Warning& warning : report.warnings)
    out +=
        wrapped(std::string("Warning of the recorder: ") + visible(warning.text) + " [" + visible(warning.code) + "]",
                style, 2);
  return out;
}

}  // namespace

std::string summary_text(const Report& report, const SummaryOptions& options, const Style& style) {
  std::string out;
  // A command is not wrapped: it is there to be pasted.
  for (const std::string& line : report.headline)
    out += line.rfind("Next: ", 0) == 0 ? visible(line) + "\n" : wrapped(visible(line), style, 2);
  if (report.nothing_matches) return out;
  out += "\n" + wrapped(who(report), style, 2);
  out += wrapped(clock_words(report.clock), style, 2);
  out += own_cost_text(report, style);
  out += losses_text(report, style);
  out += scopes_table(report, options, style);
  out += responses_table(report, options, style);
  out += values_table(report, options, style);
  out += pulses_table(report, options, style);
  out += marks_text(report, options, style);
  out += places_table(report, options, style);
  out += calls_table(report, style);
  out += threads_table(report, options, style);
  return out;
}

std::string merged_text(const Report& merged, std::size_t files, const SummaryOptions& options, const Style& style) {
  std::string out = heading(
      fmt::format("All {} files together: {}, {} lost", files, holds(merged), count_words(merged.losses.records)),
      style);
  for (const std::string& text : merged.notes) out += wrapped("Note: " + visible(text), style, 2);
  for (const std::string& line : merged.losses.advice) out += wrapped("To lose none: " + line, style, 2);
  out += scopes_table(merged, options, style);
  out += responses_table(merged, options, style);
  out += values_table(merged, options, style);
  out += pulses_table(merged, options, style);
  out += calls_table(merged, style);
  return out;
}

}  // namespace tl::render
