// The summary for people: in words first, then losses and what was not observable, then the tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/words.h"
#include "base/size_class.h"
#include "render/summary.h"
#include "render/text_escape.h"

namespace tl::render {

namespace {

using analyze::count_words;
using analyze::Latency;
using analyze::Report;

// A percentile is sure only where samples lie beyond it: of fewer than 1 / (1 - p) samples it is the maximum.
bool is_sure(double percent, std::uint64_t samples) {
  return static_cast<double>(samples) * (100 - percent) >= 100 - 1e-9;
}

// Columns of times of a table that are filled row by row and printed once the units are known.
class LatencyColumns {
 public:
  LatencyColumns(std::vector<std::string> percentiles, bool with_min)
      : percentiles_(std::move(percentiles)), with_min_(with_min) {
    columns_.resize(percentiles_.size() + 1 + (with_min ? 1 : 0));
    unsure_.resize(columns_.size());
  }
  void add(const Latency& latency) {
    const bool any = latency.count() > 0;
    std::size_t c = 0;
    const auto put = [&](double ns, bool sure) {
      columns_[c].add(any ? std::optional<double>(ns) : std::nullopt);
      unsure_[c++].push_back(any && !sure);
    };
    if (with_min_) put(latency.min_ns(), true);
    for (const std::string& percent : percentiles_) {
      const double p = std::stod(percent);
      put(latency.percentile_ns(p), is_sure(p, latency.count()));
    }
    put(latency.max_ns(), true);
  }
  void head(std::vector<std::string>& into) const {
    std::size_t c = 0;
    const auto put = [&](const std::string& name) { into.push_back(name + " " + columns_[c++].unit()); };
    if (with_min_) put("min");
    for (const std::string& percent : percentiles_) put(std::string("p") + percent);
    put("max");
  }
  void cells(std::size_t row, std::vector<std::string>& into) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      any_unsure_ |= unsure_[c][row];
      into.push_back((unsure_[c][row] ? "~" : "") + columns_[c].cell(row));
    }
  }
  std::string legend() const {
    return any_unsure_ ? "~ fewer samples than this percentile needs: what is shown is the slowest of them\n" : "";
  }

 private:
  std::vector<std::string> percentiles_;
  bool with_min_, any_unsure_ = false;
  std::vector<TimeColumn> columns_;
  std::vector<std::vector<bool>> unsure_;
};

std::string left_out(std::size_t all, std::size_t shown, const char* how) {
  return all > shown ? fmt::format("... and {} more ({})\n", count_words(all - shown), how) : "";
}

std::size_t rows_of(std::size_t all, const SummaryOptions& options) {
  return options.rows == 0 ? all : std::min<std::size_t>(all, options.rows);
}

std::string rate_cell(const std::optional<double>& rate) {
  if (!rate) return "-";
  return *rate >= 100 ? count_words(static_cast<std::uint64_t>(std::llround(*rate))) : fmt::format("{:.1f}", *rate);
}

std::string scopes_table(const Report& report, const SummaryOptions& options, const Style& style) {
  // A row of one thread says nothing new where the scope ran on one only; the row of all threads then names it.
  std::vector<const analyze::ScopeRow*> rows;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < report.scopes.size(); ++i) {
    const analyze::ScopeRow& row = report.scopes[i];
    if (row.thread) continue;
    std::size_t threads = 0;
    while (i + threads + 1 < report.scopes.size() && report.scopes[i + threads + 1].thread) ++threads;
    rows.push_back(&row);
    places.push_back(threads == 1 ? visible(report.scopes[i + 1].thread_name) : threads == 0 ? "-" : "all");
    for (std::size_t t = 1; threads > 1 && t <= threads; ++t) {
      rows.push_back(&report.scopes[i + t]);
      places.push_back(std::string("  ") + visible(report.scopes[i + t].thread_name));
    }
  }
  if (rows.empty()) return "";
  const std::size_t shown = rows_of(rows.size(), options);
  LatencyColumns latencies(options.percentiles, true);
  TimeColumn total, self;
  bool troubled = false;
  for (std::size_t i = 0; i < shown; ++i) {
    latencies.add(rows[i]->latency);
    const bool any = rows[i]->latency.count() > 0;
    total.add(any ? std::optional<double>(rows[i]->total_ns) : std::nullopt);
    self.add(any ? std::optional<double>(rows[i]->self_ns) : std::nullopt);
    troubled |= rows[i]->mismatched + rows[i]->unfinished > 0;
  }
  std::vector<std::string> head = {"scope", "thread", "count", "per s"};
  latencies.head(head);
  head.push_back(std::string("total ") + total.unit());
  head.push_back(std::string("self ") + self.unit());
  if (troubled) head.insert(head.end(), {"mismatched", "unfinished"});
  Table table(head);
  table.left(0).left(1).optional(4).optional(3);  // min, rate, then percentiles from the second on, self
  for (std::size_t c = 6; c < 5 + options.percentiles.size(); ++c) table.optional(c);
  table.optional(6 + options.percentiles.size() + 1);
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::ScopeRow& row = *rows[i];
    std::vector<std::string> cells = {row.thread ? "" : visible(row.name), places[i], count_words(row.latency.count()),
                                      row.latency.count() > 0 ? rate_cell(row.rate_per_s) : "-"};
    latencies.cells(i, cells);
    cells.push_back(total.cell(i));
    cells.push_back(self.cell(i));
    if (troubled) cells.insert(cells.end(), {count_words(row.mismatched), count_words(row.unfinished)});
    table.row(std::move(cells));
  }
  return std::string("\n") + heading("Scopes, most time first", style) + table.print(style) + latencies.legend() +
         left_out(rows.size(), shown, "--scope GLOB or --json shows them");
}

std::string calls_table(const analyze::Allocations& from, const Style& style) {
  if (!from.counted || !from.observable) return "";
  std::array<double, kAllocCalls> time{};
  for (const analyze::CallLatency& row : from.latency) time[row.call] += row.latency.total_ns();
  TimeColumn total;
  std::vector<unsigned> rows;
  for (unsigned call = 0; call < kAllocCalls; ++call) {
    if (from.calls[call] == 0) continue;
    rows.push_back(call);
    total.add(time[call]);
  }
  std::string out = std::string("\n") + heading("Allocation calls", style);
  if (rows.empty()) return out + "none\n";
  std::vector<std::string> head = {"call", "calls"};
  if (from.timed) head.insert(head.end(), {std::string("total ") + total.unit(), "share"});
  Table table(head);
  table.left(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = {kAllocCallNames[rows[i]], count_words(from.calls[rows[i]])};
    if (from.timed) cells.insert(cells.end(), {total.cell(i), analyze::share_words(time[rows[i]], from.total_ns)});
    table.row(std::move(cells));
  }
  out += table.print(style);
  out += fmt::format("{} asked for, {} failed\n", analyze::byte_words(from.bytes_requested), count_words(from.failed));
  if (from.timed) out += fmt::format("{} inside the allocator\n", analyze::time_words(from.total_ns));
  return out;
}

std::string places_table(const analyze::Allocations& from, const SummaryOptions& options, const Style& style) {
  if (from.places.empty()) return "";
  const std::size_t shown = rows_of(from.places.size(), options);
  LatencyColumns latencies({"50", "90", "99", "99.9"}, false);
  TimeColumn total;
  for (std::size_t i = 0; i < shown; ++i) {
    latencies.add(from.places[i].latency);
    total.add(from.places[i].latency.total_ns());
  }
  std::vector<std::string> head = {"thread", "request", std::string("total ") + total.unit(), "share", "calls"};
  latencies.head(head);
  Table table(head);
  table.left(0).left(1).optional(6).optional(7);  // p90, p99
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::PlaceLatency& row = from.places[i];
    std::vector<std::string> cells = {
        visible(row.thread_label), row.frees ? "free" : analyze::size_class_words(row.size_class), total.cell(i),
        analyze::share_words(row.latency.total_ns(), from.total_ns), count_words(row.latency.count())};
    latencies.cells(i, cells);
    table.row(std::move(cells));
  }
  return std::string("\n") +
         heading("Time inside the allocator by thread and size of request, most time first", style) +
         table.print(style) + latencies.legend() +
         left_out(from.places.size(), shown, "--thread GLOB shows one thread's");
}

std::string threads_table(const Report& report, const SummaryOptions& options, const Style& style) {
  if (report.threads.empty()) return "";
  std::vector<const analyze::ThreadRow*> rows;
  bool pinned = false;
  for (const analyze::ThreadRow& row : report.threads) {
    rows.push_back(&row);
    pinned |= !row.pin_asked.empty() || !row.pin_error.empty();
  }
  const std::size_t shown = rows_of(rows.size(), options);
  if (shown < rows.size())  // the busiest, then again in their order
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(), [](auto* a, auto* b) {
      const std::uint64_t work_a = a->scopes + a->allocations.value_or(0),
                          work_b = b->scopes + b->allocations.value_or(0);
      return work_a != work_b ? work_a > work_b : a->serial < b->serial;
    });
  rows.resize(shown);
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->serial < b->serial; });
  TimeColumn start, end;
  for (const auto* row : rows) {
    start.add(row->start_ns);
    end.add(row->end_ns);
  }
  std::vector<std::string> head = {
      "thread",      "name",  "tid", std::string("start ") + start.unit(), std::string("end ") + end.unit(), "scopes",
      "allocations", "bytes", "lost"};
  if (pinned) head.push_back("pin");
  Table table(head);
  table.left(1).optional(3).optional(4).optional(2);  // start, end, tid
  if (pinned) table.left(head.size() - 1);
  const auto count = [](const std::optional<std::uint64_t>& n) { return n ? count_words(*n) : std::string("-"); };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const analyze::ThreadRow& row = *rows[i];
    std::vector<std::string> cells = {std::string("#") + std::to_string(row.serial),
                                      row.name && !row.name->empty() ? visible(*row.name) : "-",
                                      row.tid ? std::to_string(*row.tid) : "-",
                                      start.cell(i),
                                      end.cell(i),
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
  return std::string("\n") + heading("Threads", style) + table.print(style) +
         left_out(report.threads.size(), shown, "--thread GLOB or --json shows them");
}

std::string who(const Report& report) {
  std::string line = visible(report.file.path);
  if (report.process) {
    const analyze::ProcessFacts& p = *report.process;
    line += fmt::format(": {} (pid {}) on {}", visible(p.program), p.pid, visible(p.host));
    if (p.duration_ns) line += std::string(", ") + analyze::time_words(*p.duration_ns);
    line += p.ended == "running"  ? ", running"
            : p.ended == "signal" ? fmt::format(", ended by signal {}", p.signal_number)
            : p.ended == "killed" ? ", killed"
                                  : std::string(", ended by ") + p.ended;
  }
  return line + fmt::format("; {} {}, {}", count_words(report.file.records),
                            report.file.records == 1 ? "record" : "records",
                            report.file.complete ? "complete" : "not complete");
}

std::string losses_text(const Report& report, const Style& style) {
  std::string out;
  for (const std::string& reason : report.partial) out += wrapped(std::string("Partial: ") + visible(reason), style, 2);
  const std::size_t shown = std::min<std::size_t>(report.losses.ranges.size(), 5);
  for (std::size_t i = 0; i < shown; ++i) {
    const analyze::LossSpan& span = report.losses.ranges[i];
    out += wrapped(fmt::format("  lost {} on thread #{} from {} to {}{}", count_words(span.records), span.thread,
                               analyze::time_words(span.from_ns), analyze::time_words(span.to_ns),
                               span.cause.empty() ? "" : std::string(" (") + span.cause + ")"),
                   style, 4);
  }
  out += left_out(report.losses.ranges.size(), shown, "--json shows them");
  if (report.losses.records == 0) out += "Lost: nothing\n";
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
  for (const std::string& line : report.headline) out += wrapped(visible(line), style, 2);
  out += std::string("\n") + wrapped(who(report), style, 2);
  out += losses_text(report, style);
  out += scopes_table(report, options, style);
  out += places_table(report.allocations, options, style);
  out += calls_table(report.allocations, style);
  out += threads_table(report, options, style);
  return out;
}

std::string merged_text(const Report& merged, std::size_t files, const SummaryOptions& options, const Style& style) {
  std::string out = heading(fmt::format("All {} files together: {} records, {} lost", files,
                                        count_words(merged.file.records), count_words(merged.losses.records)),
                            style);
  out += scopes_table(merged, options, style);
  out += calls_table(merged.allocations, style);
  return out;
}

}  // namespace tl::render
