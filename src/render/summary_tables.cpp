#include "render/summary_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/words.h"
#include "render/latency_columns.h"
#include "render/text_escape.h"

namespace tl::render {

namespace {

using analyze::count_words;
using analyze::Latency;
using analyze::Report;

std::string rate_cell(const std::optional<double>& rate) {
  if (!rate) return "-";
  return *rate >= 100 ? count_words(static_cast<std::uint64_t>(std::llround(*rate))) : fmt::format("{:.1f}", *rate);
}

}  // namespace

std::size_t shown_rows(std::size_t all, const SummaryOptions& options) {
  return options.rows == 0 ? all : std::min<std::size_t>(all, options.rows);
}

std::string left_out(std::size_t all, std::size_t shown, const char* how, const Style& style) {
  if (all <= shown) return "";
  return wrapped(fmt::format("... and {} more ({})", count_words(all - shown), how), style, 2);
}

std::string scopes_table(const Report& report, const SummaryOptions& options, const Style& style) {
  std::vector<const analyze::ScopeRow*> all;
  for (const analyze::ScopeRow& row : report.scopes) all.push_back(&row);
  const auto rows = with_places(all);
  if (rows.empty()) return "";
  const std::size_t shown = shown_rows(rows.size(), options);
  LatencyColumns latencies(options.percentiles, true, report.clock.unit());
  SharedUnit sums(report.clock.unit());
  bool troubled = false, discarded = false, allocating = false;
  SharedUnit allocator(report.clock.unit());
  const auto if_ran = [](const analyze::ScopeRow& row, double time) {
    return row.latency.count() > 0 ? std::optional<double>(time) : std::nullopt;
  };
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::ScopeRow& row = *rows[i].first;
    sums.add(if_ran(row, row.total_ns));
    sums.add(if_ran(row, row.self_ns));
    troubled |= row.mismatched + row.unfinished > 0;
    discarded |= row.discarded > 0;
    allocating |= row.allocations.ns > 0;
    allocator.add(if_ran(row, row.allocations.ns));
  }
  std::vector<std::string> head = {"scope", "thread", "count", "per s"};
  latencies.head(head);
  head.insert(head.end(), {sums.head("total"), sums.head("self")});
  if (allocating) head.insert(head.end(), {"allocs", "a run p99", allocator.head("in malloc")});
  if (troubled) head.insert(head.end(), {"mismatched", "unfinished"});
  if (discarded) head.push_back("discarded");
  Table table(head);
  const std::size_t first = 5, max = first + options.percentiles.size();
  table.name(0).numbered_name(1).optional(first - 1).optional(3);   // min, rate
  for (std::size_t c = first + 1; c < max; ++c) table.optional(c);  // percentiles but the first
  table.optional(max + 2).optional(first);                          // self, the first percentile
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::ScopeRow& row = *rows[i].first;
    std::vector<std::string> cells = {row.thread ? "" : visible(row.name), rows[i].second,
                                      count_words(row.latency.count()),
                                      row.latency.count() > 0 ? rate_cell(row.rate_per_s) : "-"};
    latencies.cells(row.latency, cells, &row);
    cells.insert(cells.end(), {sums.cell(if_ran(row, row.total_ns)), sums.cell(if_ran(row, row.self_ns))});
    if (allocating)
      cells.insert(cells.end(),
                   {count_words(row.allocations.count), count_words(row.allocations.per_scope.percentile(99)),
                    allocator.cell(if_ran(row, row.allocations.ns))});
    if (troubled) cells.insert(cells.end(), {count_words(row.mismatched), count_words(row.unfinished)});
    if (discarded) cells.push_back(count_words(row.discarded));
    table.row(std::move(cells));
  }
  const char* title =
      report.corrected ? "Scopes, most time first, without what recording took (corrected)" : "Scopes, most time first";
  return "\n" + heading(title, style) + table.print(style) + latencies.legend(style) +
         left_out(rows.size(), shown, "--scope GLOB or --json shows them", style);
}

std::string places_table(const Report& report, const SummaryOptions& options, const Style& style) {
  const analyze::Allocations& from = report.allocations;
  if (from.places.empty()) return "";
  const std::size_t shown = shown_rows(from.places.size(), options);
  LatencyColumns latencies(options.percentiles, false, report.clock.unit());
  SharedUnit total(report.clock.unit());
  for (std::size_t i = 0; i < shown; ++i) total.add(from.places[i].latency.total_ns());
  std::vector<std::string> head = {"thread", "request", total.head("total"), "share", "calls"};
  latencies.head(head);
  Table table(head);
  const std::size_t first = 5, max = first + options.percentiles.size();
  table.numbered_name(0).left(1);
  for (std::size_t c = first + 1; c < max; ++c) table.optional(c);  // percentiles but the first
  table.optional(3).optional(first).optional(max).optional(4);      // share, the first percentile, max, calls
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::PlaceLatency& row = from.places[i];
    std::vector<std::string> cells = {
        visible(row.thread_label), row.frees ? "free" : analyze::size_class_words(row.size_class),
        total.cell(row.latency.total_ns()), analyze::share_words(row.latency.total_ns(), from.total_ns),
        count_words(row.latency.count())};
    latencies.cells(row.latency, cells);
    table.row(std::move(cells));
  }
  return "\n" + heading("Time inside the allocator by thread and size of request, most time first", style) +
         table.print(style) + latencies.legend(style) +
         left_out(from.places.size(), shown, "--thread GLOB or --json shows them", style);
}

std::string calls_table(const Report& report, const Style& style) {
  const analyze::Allocations& from = report.allocations;
  if (!from.counted || !from.observable) return "";
  std::array<double, kAllocCalls> time{};
  for (const analyze::CallLatency& row : from.latency) time[row.call] += row.latency.total_ns();
  SharedUnit total(report.clock.unit());
  std::vector<unsigned> rows;
  for (unsigned call = 0; call < kAllocCalls; ++call) {
    if (from.calls[call] == 0) continue;
    rows.push_back(call);
    total.add(time[call]);
  }
  std::string out = "\n" + heading("Allocation calls", style);
  if (rows.empty()) return out + (from.measured() ? "none\n" : "not in the file\n");
  std::vector<std::string> head = {"call", "calls"};
  if (from.timed) head.insert(head.end(), {total.head("total"), "share"});
  Table table(head);
  table.left(0);
  for (const unsigned call : rows) {
    std::vector<std::string> cells = {kAllocCallNames[call], count_words(from.calls[call])};
    if (from.timed)
      cells.insert(cells.end(), {total.cell(time[call]), analyze::share_words(time[call], from.total_ns)});
    table.row(std::move(cells));
  }
  out += table.print(style);
  out += fmt::format("{} asked for, {} failed\n", analyze::byte_words(from.bytes_requested), count_words(from.failed));
  if (from.timed) out += analyze::time_words(from.total_ns, report.clock.unit()) + " inside the allocator\n";
  return out;
}

std::string threads_table(const Report& report, const SummaryOptions& options, const Style& style) {
  if (report.threads.empty()) return "";
  std::vector<const analyze::ThreadRow*> rows;
  bool pinned = false;
  for (const analyze::ThreadRow& row : report.threads) {
    rows.push_back(&row);
    pinned |= !row.pin_asked.empty() || !row.pin_error.empty();
  }
  const std::size_t shown = shown_rows(rows.size(), options);
  if (shown < rows.size())  // the busiest, then again in their order
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(), [](auto* a, auto* b) {
      const std::uint64_t work_a = a->scopes + a->allocations.value_or(0),
                          work_b = b->scopes + b->allocations.value_or(0);
      return work_a != work_b ? work_a > work_b : a->serial < b->serial;
    });
  rows.resize(shown);
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->serial < b->serial; });
  SharedUnit times(report.clock.unit());
  for (const auto* row : rows) {
    times.add(row->start_ns);
    times.add(row->end_ns);
  }
  std::vector<std::string> head = {"thread",      "name",  "tid", times.head("start"), times.head("end"), "scopes",
                                   "allocations", "bytes", "lost"};
  if (pinned) head.push_back("pin");
  Table table(head);
  table.name(1).optional(3).optional(4).optional(2).optional(7);  // start, end, tid, bytes
  if (pinned) table.name(head.size() - 1);
  const auto count = [](const std::optional<std::uint64_t>& n) { return n ? count_words(*n) : std::string("-"); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const analyze::ThreadRow& row = *rows[i];
    std::vector<std::string> cells = {std::string("#") + std::to_string(row.serial),
                                      row.name && !row.name->empty() ? visible(*row.name) : "-",
                                      row.tid ? std::to_string(*row.tid) : "-",
                                      times.cell(row.start_ns),
                                      times.cell(row.end_ns),
                                      count_words(row.scopes),
                                      count(row.allocations),
                                      row.bytes ? analyze::byte_words(*row.bytes) : "-",
                                      count_words(row.lost)};
    if (pinned)
      cells.push_back(row.pin_error.empty()
                          ? (row.pin_applied.empty() ? "-" : visible(row.pin_applied))
                          : visible(std::string("asked ") + row.pin_asked + ", failed: " + row.pin_error));
    table.row(std::move(cells));
  }
  return "\n" + heading("Threads", style) + table.print(style) +
         left_out(report.threads.size(), shown, "--thread GLOB or --json shows them", style);
}

}  // namespace tl::render
