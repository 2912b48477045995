// What stands beside the times of scopes: response times, values, pulses, marks.
#include <fmt/format.h>

#include "render/latency_columns.h"
#include "render/summary_tables.h"

namespace tl::render {

namespace {

using analyze::count_words;
using analyze::Report;

std::string signed_words(std::int64_t value) {
  const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return (value < 0 ? "-" : "") + count_words(magnitude);
}

std::string mean_words(double mean) {
  if (std::fabs(mean) < 999.5) return fmt::format("{:.2f}", mean);
  return std::fabs(mean) < 9e18 ? signed_words(std::llround(mean)) : fmt::format("{:.4g}", mean);
}

}  // namespace

std::string responses_table(const Report& report, const SummaryOptions& options, const Style& style) {
  std::vector<const analyze::ScopeRow*> answered;
  bool early = false;
  for (const analyze::ScopeRow& row : report.scopes) {
    if (row.response.count() == 0) continue;
    answered.push_back(&row);
    early |= row.early > 0;
  }
  const auto rows = with_places(answered);
  if (rows.empty()) return "";
  const std::size_t shown = shown_rows(rows.size(), options);
  LatencyColumns latencies(options.percentiles, true, report.clock.unit());
  std::vector<std::string> head = {"scope", "thread", "time", "count"};
  if (early) head.push_back("early");
  const std::size_t first = head.size() + 1, max = first + options.percentiles.size();
  latencies.head(head);
  Table table(head);
  table.name(0).numbered_name(1).left(2).optional(first - 1);
  for (std::size_t c = first + 1; c < max; ++c) table.optional(c);
  table.optional(1).optional(first);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [row, place] = rows[i];
    for (const bool response : {false, true}) {
      const analyze::Latency& from = response ? row->response : row->latency;
      std::vector<std::string> cells = {response || row->thread ? "" : visible(row->name), response ? "" : place,
                                        response ? "response" : "service", count_words(from.count())};
      if (early) cells.push_back(response ? count_words(row->early) : "");
      latencies.cells(from, cells, response ? nullptr : row);
      table.row(std::move(cells));
    }
  }
  std::string title = "Service time (from the call) and response time (from the intended begin)";
  if (report.corrected) title += "; response as measured";
  return "\n" + heading(title, style) + table.print(style) + latencies.legend(style) +
         (early ? wrapped("early: the intended begin lay in the future, so the response time is the service time",
                          style, 2)
                : "") +
         left_out(rows.size(), shown, "--scope GLOB or --json shows them", style);
}

std::string values_table(const Report& report, const SummaryOptions& options, const Style& style) {
  if (report.values.empty()) return "";
  const std::size_t shown = shown_rows(report.values.size(), options);
  std::vector<std::string> head = {"value", "count", "min"};
  for (const std::string& percent : options.value_percentiles) head.push_back("p" + percent);
  head.insert(head.end(), {"max", "mean"});
  Table table(head);
  const std::size_t first = 3, max = first + options.value_percentiles.size();
  table.name(0);
  for (std::size_t c = first + 1; c < max; ++c) table.optional(c);
  table.optional(max + 1).optional(first);
  bool any_unsure = false;
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::SignedDistribution& values = report.values[i].values;
    std::vector<std::string> cells = {visible(report.values[i].name), count_words(values.count()),
                                      signed_words(values.min())};
    for (const std::string& percent : options.value_percentiles) {
      const double p = std::stod(percent);
      const bool unsure = !is_sure(p, values.count());
      any_unsure |= unsure;
      cells.push_back((unsure ? "~" : "") + signed_words(values.percentile(p)));
    }
    cells.insert(cells.end(), {signed_words(values.max()), mean_words(values.mean())});
    table.row(std::move(cells));
  }
  return "\n" + heading("Values", style) + table.print(style) +
         (any_unsure
              ? wrapped("~ fewer samples than this percentile needs: what is shown is the largest of them", style, 2)
              : "") +
         left_out(report.values.size(), shown, "--scope GLOB or --json shows them", style);
}

std::string pulses_table(const Report& report, const SummaryOptions& options, const Style& style) {
  std::vector<const analyze::PulseRow*> all;
  for (const analyze::PulseRow& row : report.pulses) all.push_back(&row);
  const auto rows = with_places(all);
  if (rows.empty()) return "";
  const std::size_t shown = shown_rows(rows.size(), options);
  LatencyColumns latencies(options.percentiles, true, report.clock.unit());
  std::vector<std::string> head = {"pulse", "thread", "gaps"};
  latencies.head(head);
  Table table(head);
  const std::size_t first = 4, max = first + options.percentiles.size();
  table.name(0).numbered_name(1).optional(first - 1);
  for (std::size_t c = first + 1; c < max; ++c) table.optional(c);
  table.optional(first);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [row, place] = rows[i];
    std::vector<std::string> cells = {row->thread ? "" : visible(row->name), place, count_words(row->gaps.count())};
    latencies.cells(row->gaps, cells);
    table.row(std::move(cells));
  }
  return "\n" + heading("Pulses: time from one to the next on its thread", style) + table.print(style) +
         latencies.legend(style) + left_out(rows.size(), shown, "--scope GLOB or --json shows them", style);
}

std::string marks_text(const Report& report, const SummaryOptions& options, const Style& style) {
  if (report.marks.empty()) return "";
  const std::size_t shown = shown_rows(report.marks.size(), options);
  SharedUnit times(report.clock.unit());
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shown; ++i) times.add(report.marks[i].at_ns);
  for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, times.cell(report.marks[i].at_ns).size());
  std::string out = "\n" + heading(times.head("Marks, at"), style);
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::MarkRow& mark = report.marks[i];
    // Not a table: the program's words are not shortened.
    out += wrapped(
        fmt::format("{:>{}}  {}: {}", times.cell(mark.at_ns), widest, visible(mark.thread_name), visible(mark.text)),
        style, static_cast<unsigned>(widest) + 2);
  }
  return out + left_out(report.marks.size(), shown, "--json shows them", style);
}

}  // namespace tl::render
