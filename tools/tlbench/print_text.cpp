#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "analyze/words.h"
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
  line += fmt::format(", dumps on {}", machine.dumps_on.value_or("a file system that is not told"));
  if (machine.load) line += fmt::format(", load before {:.2f}", *machine.load);
  return line;
}

std::string place_line(const Results& results) {
  if (results.cpus.empty()) return "Threads: not pinned (--cpus pins those that record; the drain stays free)";
  std::string line = "Threads: those that record on CPU";
  for (const int cpu : results.cpus) line += fmt::format(" {}", cpu);
  if (results.cpus.size() == 1) line += " (so two at once take turns)";
  return line + ", the drain free";
}

std::string number(double ratio) { return fmt::format("{:.{}f}", ratio, ratio < 10 ? 3 : ratio < 100 ? 1 : 0); }
std::string million_words(double per_second) { return fmt::format("{:.0f} M/s", per_second / 1e6); }

std::string limit_words(const Limit& limit) {
  std::string out;
  const auto add = [&](const std::string& words) { out += (out.empty() ? "" : ", ") + words; };
  if (limit.ratio) add(fmt::format("{:.2f}", *limit.ratio));
  if (limit.ns) add(ns_words(*limit.ns));
  if (limit.share_of_flat_out) add(fmt::format("share >= {:.2f}", *limit.share_of_flat_out));
  if (limit.bytes_per_record) add(fmt::format("{:.1f} B", *limit.bytes_per_record));
  if (limit.records_per_s) add(">= " + million_words(*limit.records_per_s));
  if (limit.lost) add(fmt::format("{} lost", *limit.lost));
  return out;
}

// One of a table's columns. A cell without words is one that the case has no figure for.
struct Column {
  const char* head;
  std::string (*cell)(const Row&, const Figures&);
  unsigned spare = 0;  // above 0: may be left out where there is no room, 1 first
  bool left = false;
};

template <class T, class Words>
std::string if_any(const std::optional<T>& value, Words words) {
  return value ? words(*value) : std::string();
}

const Column kColumns[] = {
    {"case", [](const Row& row, const Figures&) { return std::string(row.of->name); }, 0, true},
    {"takes", [](const Row&, const Figures& of) { return if_any(of.ns, ns_words); }},
    {"reference", [](const Row& row, const Figures&) { return std::string(row.of->reference.name); }, 9, true},
    {"takes", [](const Row&, const Figures& of) { return if_any(of.reference_ns, ns_words); }, 5},
    {"ratio", [](const Row&, const Figures& of) { return if_any(of.ratio, number); }},
    {"p10-p90",
     [](const Row&, const Figures& of) {
       return of.ratio_p10 ? number(*of.ratio_p10) + "-" + number(*of.ratio_p90) : std::string();
     },
     6},
    {"share", [](const Row&, const Figures& of) { return if_any(of.share_of_flat_out, number); }},
    {"B/record",
     [](const Row&, const Figures& of) {
       return if_any(of.bytes_per_record, [](double bytes) { return fmt::format("{:.2f}", bytes); });
     }},
    {"records", [](const Row&, const Figures& of) { return if_any(of.records_per_s, million_words); }},
    {"limit", [](const Row& row, const Figures&) { return limit_words(row.of->limit); }, 8},
    {"by CPU", [](const Row&, const Figures& of) { return if_any(of.cpu_ratio, number); }, 7},
    {"to floor", [](const Row&, const Figures& of) { return if_any(of.floor_ratio, number); }, 4},
    {"p99", [](const Row&, const Figures& of) { return if_any(of.p99_ns, ns_words); }, 3},
    {"pairs", [](const Row&, const Figures& of) { return if_any(of.pairs, analyze::count_words); }, 2},
    {"begun",
     [](const Row& row, const Figures&) {
       if (row.of->method == Method::program) return std::string();
       return row.outcome.counts || !row.of->encodes ? analyze::count_words(row.outcome.measured.begun) : "";
     },
     1},
    {"lost", [](const Row& row,
                const Figures&) { return row.outcome.counts ? analyze::count_words(row.outcome.counts->lost) : ""; }},
};

// Without the columns that no case has a figure for.
std::string table_of(const std::vector<Row>& rows, const render::Style& style) {
  std::vector<const Column*> columns;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> lines(rows.size());
  for (const Column& column : kColumns) {
    std::vector<std::string> cells;
    for (const Row& row : rows) cells.push_back(column.cell(row, figures_of(row)));
    if (std::all_of(cells.begin(), cells.end(), [](const std::string& cell) { return cell.empty(); })) continue;
    columns.push_back(&column);
    head.push_back(column.head);
    for (std::size_t i = 0; i < rows.size(); ++i) lines[i].push_back(cells[i].empty() ? "-" : cells[i]);
  }
  render::Table table(head);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i]->left) table.left(i);
  for (unsigned spare = 1; spare <= std::size(kColumns); ++spare)
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i]->spare == spare) table.optional(i);
  for (auto& line : lines) table.row(std::move(line));
  return table.print(style);
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

std::string stretch_line(const Row& row) {
  const Measured& measured = row.outcome.measured;
  return fmt::format("{}: {} of recording without a break, after {} of none", row.of->name,
                     ns_words(measured.stretch_seconds * 1e9), ns_words(measured.idle_seconds * 1e9));
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
  if (row.of->method == Method::program)
    return fmt::format("{} {}{}", row.of->name, analyze::count_words(counts.lost), causes);
  return fmt::format(
      "{} of {} ({}){}", row.of->name, analyze::count_words(counts.lost),
      analyze::share_words(static_cast<double>(counts.lost), static_cast<double>(row.outcome.measured.begun)), causes);
}

}  // namespace

std::string suite_text(const Results& results, const render::Style& style) {
  std::string notes, lost;
  std::uint64_t slice = 0;
  bool recorded = false;
  for (const Row& row : results.rows) {
    const Measured& measured = row.outcome.measured;
    if (!measured.why_not.empty()) {
      notes += render::wrapped(fmt::format("{}: {}", row.of->name, measured.why_not), style, 2);
      continue;
    }
    if (row.of->method == Method::cold) notes += render::wrapped(cold_line(row), style, 2);
    if (row.of->method == Method::stretch) notes += render::wrapped(stretch_line(row), style, 2);
    slice = std::max(slice, measured.slice_operations);
    if (!row.outcome.counts) continue;
    recorded = true;
    if (row.outcome.counts->lost > 0) lost += (lost.empty() ? "" : "; ") + lost_line(row);
  }
  std::string text = render::wrapped(machine_line(results.machine), style, 2);
  text += render::wrapped(place_line(results), style, 2) + "\n";
  text += render::heading(std::string(results.suite->heading), style);
  text += table_of(results.rows, style) + "\n" + notes;
  if (!results.suite->later.empty())
    text += render::wrapped(
        fmt::format("Not available in version " TL_VERSION ": {}", fmt::join(results.suite->later, ", ")), style, 2);
  if (recorded) text += render::wrapped("Lost: " + (lost.empty() ? "nothing" : lost), style, 2);
  return text +
         render::wrapped(fmt::format("Ratio: the median of paired ratios, case and reference in turn, slices of up "
                                     "to {} operations; p99: of batches of {}; by CPU: the ratio "
                                     "of the threads' CPU times, without what others take from them; {}; the "
                                     "limits are goals, judged on a quiet machine",
                                     analyze::count_words(slice), analyze::count_words(kBatch), results.suite->note),
                         style, 2);
}

}  // namespace tl::tlbench
