#include <fmt/format.h>

#include <algorithm>
#include "analyze/words.h"
#include "tlbench/paired.h"
#include "tlbench/print.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace {

std::string ns_words(double ns) { return analyze::time_words(ns); }

std::string machine_line(const Machine& machine) {
  std::string line = fmt::format("Machine: {}{}, {}", machine.cpu, machine.is_virtual ? " (a virtual machine)" : "",
                                 analyze::counted(machine.cpus, "CPU"));
  if (machine.usable_cpus != machine.cpus) line += fmt::format(" of which {} may be used", machine.usable_cpus);
  line += fmt::format(", Linux {}, clocksource {}, governor {}", machine.kernel,
                      machine.clocksource.value_or("not told"), machine.governor.value_or("not told"));
  if (machine.load) line += fmt::format(", load before {:.2f}", *machine.load);
  return line;
}

std::string place_line(const Results& results) {
  if (results.cpus.empty()) return "Threads: not pinned (--cpus pins those that record; the drain stays free)";
  std::string line = "Threads: those that record on CPU";
  for (const int cpu : results.cpus) line += fmt::format(" {}", cpu);
  if (results.cpus.size() == 1) line += " (so the two of fast_2 take turns)";
  return line + ", the drain free";
}

std::string limit_words(const Case& of) {
  if (of.limit.ratio) return fmt::format("{:.2f}", *of.limit.ratio);
  return of.limit.ns ? ns_words(*of.limit.ns) : "-";
}

std::string number(double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 10 ? 3 : ratio < 100 ? 1 : 0); }

// Of the part to another series, by the wall's clock or the threads'.
std::string ratio_words(const std::vector<double>& values, const std::vector<double>& references) {
  const PairedRatio ratio = paired_ratio(values, references);
  return ratio.pairs == 0 ? "-" : number(ratio.median);
}

void add_row(const Row& row, render::Table& table) {
  const Case& of = *row.of;
  const Measured& measured = row.outcome.measured;
  const std::string reference(of.reference.name);
  if (!measured.why_not.empty())
    return table.row(
        {std::string(of.name), "-", reference, "-", "-", "-", limit_words(of), "-", "-", "-", "-", "-", "-"});
  const std::vector<double>&times = measured.times(measured.part), &others = measured.times(measured.reference);
  const PairedRatio ratio = paired_ratio(times, others);
  table.row({std::string(of.name), ns_words(median(times)), reference, ns_words(median(others)), number(ratio.median),
             number(ratio.p10) + "-" + number(ratio.p90), limit_words(of),
             ratio_words(measured.part.cpu_ns, measured.reference.cpu_ns),
             ratio_words(times, measured.times(measured.floor)), ns_words(measured.part.p99_ns),
             analyze::count_words(ratio.pairs), analyze::count_words(measured.begun),
             row.outcome.counts ? analyze::count_words(row.outcome.counts->lost) : "-"});
}

std::string cold_line(const Row& row) {
  const Series& first = row.outcome.measured.part;
  const Series& reference = row.outcome.measured.reference;
  const Series& recycled = row.outcome.measured.recycled;
  return fmt::format(
      "{}: in {} of threads that stay: {}, taken by {} ({} in as many of the reference); {} of heap; allocation calls "
      "{}. "
      "{} more came and went, and may have got what others left: half took at most {}, 99 % {}, {}",
      row.of->name, analyze::counted(first.ns.size(), "first scope"),
      analyze::counted(first.minor_faults, "minor fault"), analyze::count_words(first.faulting),
      analyze::count_words(reference.minor_faults),
      analyze::byte_words(static_cast<std::uint64_t>(std::max<std::int64_t>(first.heap_bytes, 0))),
      first.allocations ? analyze::count_words(*first.allocations) : "not observable (this library does not tell)",
      analyze::count_words(recycled.ns.size()), ns_words(recycled.p50_ns), ns_words(recycled.p99_ns),
      analyze::counted(recycled.minor_faults, "minor fault"));
}

std::string lost_line(const Row& row) {
  const Counts& counts = *row.outcome.counts;
  std::string causes;
  std::uint64_t rest = counts.lost;
  for (unsigned cause = 0; cause < kLossCauses; ++cause) {
    if (counts.by_cause[cause] == 0) continue;
    causes += fmt::format(", {} {}", kLossCauseNames[cause], analyze::count_words(counts.by_cause[cause]));
    rest -= std::min(rest, counts.by_cause[cause]);
  }
  if (rest > 0) causes += fmt::format(", not in the file {}", analyze::count_words(rest));
  return fmt::format(
      "{} of {} ({}){}", row.of->name, analyze::count_words(counts.lost),
      analyze::share_words(static_cast<double>(counts.lost), static_cast<double>(row.outcome.measured.begun)), causes);
}

}  // namespace

std::string scope_text(const Results& results, const render::Style& style) {
  render::Table table({"case", "takes", "reference", "takes", "ratio", "p10-p90", "limit", "by CPU", "to floor", "p99",
                       "pairs", "begun", "lost"});
  table.left(0).left(2).optional(11).optional(10).optional(9).optional(8).optional(3).optional(7);
  std::string notes, lost;
  std::uint64_t slice = 0;
  bool recorded = false;
  for (const Row& row : results.rows) {
    add_row(row, table);
    const Measured& measured = row.outcome.measured;
    if (!measured.why_not.empty()) {
      notes += render::wrapped(fmt::format("{}: {}", row.of->name, measured.why_not), style, 2);
      continue;
    }
    if (row.of->method == Method::cold) notes += render::wrapped(cold_line(row), style, 2);
    slice = std::max(slice, measured.slice_operations);
    if (!row.outcome.counts) continue;
    recorded = true;
    if (row.outcome.counts->lost > 0) lost += (lost.empty() ? "" : "; ") + lost_line(row);
  }
  std::string text = render::wrapped(machine_line(results.machine), style, 2);
  text += render::wrapped(place_line(results), style, 2) + "\n";
  text += render::heading("What a pair of begin and end costs, or a stage, beside its reference", style);
  text += table.print(style) + "\n" + notes;
  if (recorded) text += render::wrapped("Lost: " + (lost.empty() ? "nothing" : lost), style, 2);
  return text +
         render::wrapped(
             fmt::format("Ratio: the median of paired ratios, case and reference in turn, slices of up "
                         "to {} operations; p99: of batches of {}, of cold_first of single ones; by CPU: the ratio "
                         "of the threads' CPU times, without what others take from them; the "
                         "limits are goals, judged on a quiet machine",
                         analyze::count_words(slice), analyze::count_words(kBatch)),
             style, 2);
}

}  // namespace tl::tlbench
