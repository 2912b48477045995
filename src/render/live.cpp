#include "render/live.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/words.h"
#include "render/summary_tables.h"
#include "render/text_escape.h"

namespace tl::render {

namespace {

using analyze::count_words;
using analyze::counted;
using analyze::LiveRow;
using analyze::LiveView;

std::string lost_words(const analyze::Losses& losses) {
  std::string causes;
  for (unsigned cause = 0; cause < kLossCauses; ++cause)
    if (losses.by_cause[cause] > 0)
      causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", kLossCauseNames[cause],
                            count_words(losses.by_cause[cause]));
  if (losses.not_in_file > 0)
    causes += fmt::format("{}not in the file {}", causes.empty() ? "" : ", ", count_words(losses.not_in_file));
  return losses.records == 0 ? "nothing lost" : fmt::format("{} lost ({})", count_words(losses.records), causes);
}

std::string missing_words(const LiveView& view) {
  const bool untold = view.out_of_room && view.losses.records == 0;
  return (untold ? "the dump is full: what is lost is told later" : lost_words(view.losses)) +
         (view.elsewhere == 0 ? "" : fmt::format(", {} in parts that are not there", count_words(view.elsewhere)));
}

std::string who(const LiveView& view) {
  std::string line = view.process ? fmt::format("{} (pid {})", visible(view.process->program), view.process->pid)
                                  : std::string("unknown program");
  if (view.part) line += fmt::format(", part {}", *view.part);
  return line;
}

std::string rate_of(const LiveRow& row, const LiveView& view) {
  if (!view.seconds || *view.seconds <= 0) return "-";
  return count_words(
      static_cast<std::uint64_t>(std::llround(static_cast<double>(row.interval.count()) / *view.seconds)));
}

using Json = nlohmann::ordered_json;

Json latency(const analyze::Latency& from, analyze::TimeUnit unit) {
  const auto put = [&](double ns) {
    return from.count() == 0 || unit == analyze::TimeUnit::ticks ? Json(nullptr) : Json(std::round(ns * 10) / 10);
  };
  return {{"p50", put(from.percentile_ns(50))}, {"p99", put(from.percentile_ns(99))}, {"max", put(from.max_ns())}};
}

}  // namespace

std::string live_text(const LiveView& view, const Style& style, unsigned rows) {
  std::string out = wrapped(
      fmt::format("{}: {} so far, {}", who(view), counted(view.records, "record"), missing_words(view)), style, 2);
  for (const std::string& warning : view.warnings) out += wrapped("Warning: " + visible(warning), style, 2);
  // Of all so far, then of the interval.
  Table table({"scope", "all", "p50", "p99", "max", "now", "per s", "p50", "p99", "max"});
  table.name(0);
  for (const std::size_t column : {2u, 3u, 4u, 7u, 6u}) table.optional(column);
  const auto time = [&](const analyze::Latency& of, double ns) {
    return of.count() == 0 ? std::string("-") : analyze::time_words(ns, view.unit);
  };
  const std::size_t shown = std::min<std::size_t>(rows, view.scopes.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const LiveRow& row = view.scopes[i];
    std::vector<std::string> cells = {visible(row.name)};
    for (const analyze::Latency* of : {&row.total, &row.interval}) {
      cells.push_back(count_words(of->count()));
      if (of == &row.interval) cells.push_back(rate_of(row, view));
      for (const double percent : {50.0, 99.0}) cells.push_back(time(*of, of->percentile_ns(percent)));
      cells.push_back(time(*of, of->max_ns()));
    }
    table.row(std::move(cells));
  }
  if (!table.empty()) out += table.print(style);
  return out + left_out(view.scopes.size(), shown, "the summary shows them", style);
}

std::string live_end_text(const LiveView& view, const Style& style) {
  const std::string ended = view.process ? view.process->ended : "";
  std::uint64_t finished = 0;
  for (const LiveRow& row : view.scopes) finished += row.total.count();
  // The losses are the last of the reasons, and told already.
  const bool only_lost = view.partial.size() == 1 && view.losses.records > 0;
  return wrapped(
      fmt::format("{} {}: {}, {}, {}{}", who(view),
                  ended.empty()                             ? "is no longer followed"
                  : ended == "killed" || ended == "running" ? ended
                                                            : "ended by " + ended,
                  counted(view.records, "record"), counted(finished, "finished scope"), lost_words(view.losses),
                  view.partial.empty() ? ", complete"
                  : only_lost          ? ""
                                       : ", " + view.partial.front()),
      style, 2);
}

std::string live_json(const LiveView& view) {
  Json scopes = Json::array(), causes, partial = Json::array(), warnings = Json::array();
  for (const std::string& warning : view.warnings) warnings.push_back(utf8(warning));
  for (const LiveRow& row : view.scopes)
    scopes.push_back({{"name", utf8(row.name)},
                      {"count", row.interval.count()},
                      {"rate_per_s", view.seconds && *view.seconds > 0
                                         ? Json(std::round(static_cast<double>(row.interval.count()) / *view.seconds))
                                         : Json(nullptr)},
                      {"latency_ns", latency(row.interval, view.unit)},
                      {"total", {{"count", row.total.count()}, {"latency_ns", latency(row.total, view.unit)}}}});
  for (unsigned cause = 0; cause < kLossCauses; ++cause) causes[kLossCauseNames[cause]] = view.losses.by_cause[cause];
  causes["not_in_file"] = view.losses.not_in_file;
  for (const std::string& reason : view.partial) partial.push_back(utf8(reason));
  const Json out = {
      {"schema", 1},
      {"interval", view.interval},
      {"seconds", view.seconds ? Json(std::round(*view.seconds * 1000) / 1000) : Json(nullptr)},
      {"program", view.process ? Json(utf8(view.process->program)) : Json(nullptr)},
      {"pid", view.process ? Json(view.process->pid) : Json(nullptr)},
      {"part", view.part ? Json(*view.part) : Json(nullptr)},
      {"records", view.records},
      {"losses", {{"records", view.losses.records}, {"by_cause", causes}}},
      {"scopes", scopes},
      {"ended", view.ended && view.process && !view.process->ended.empty() ? Json(view.process->ended) : Json(nullptr)},
      {"warnings", warnings},
      {"partial", view.ended ? partial : Json(nullptr)}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tl::render
