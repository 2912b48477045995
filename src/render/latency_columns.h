// The columns of times that the tables of a report have in common, and who a row is about.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/report.h"
#include "analyze/words.h"
#include "render/table.h"
#include "render/text_escape.h"

namespace tl::render {

// A percentile is sure only where samples lie beyond it: of fewer than 1 / (1 - p) samples it is the maximum.
inline bool is_sure(double percent, std::uint64_t samples) {
  return static_cast<double>(samples) * (100 - percent) >= 100 - 1e-9;
}
inline std::string legend_of_unsure(const Style& style) {
  return wrapped("~ fewer samples than this percentile needs: what is shown is the slowest of them", style, 2);
}

class LatencyColumns {
 public:
  LatencyColumns(std::vector<std::string> percentiles, bool with_min, analyze::TimeUnit unit)
      : percentiles_(std::move(percentiles)), with_min_(with_min), unit_(unit) {}
  void head(std::vector<std::string>& into) const {
    const std::string unit = unit_ == analyze::TimeUnit::ticks ? " ticks" : "";
    if (with_min_) into.push_back("min" + unit);
    for (const std::string& percent : percentiles_) into.push_back("p" + percent + unit);
    into.push_back("max" + unit);
  }
  // `of`: the scope whose service times they are, if they are that.
  void cells(const analyze::Latency& latency, std::vector<std::string>& into, const analyze::ScopeRow* of = nullptr) {
    const bool any = latency.count() > 0;
    const auto cell = [&](double time) {
      return !any ? "-" : of != nullptr && of->below_floor(time) ? "< floor" : words(time);
    };
    if (with_min_) into.push_back(cell(latency.min_ns()));
    for (const std::string& percent : percentiles_) {
      const double p = std::stod(percent);
      const bool unsure = any && !is_sure(p, latency.count());
      any_unsure_ |= unsure;
      into.push_back((unsure ? "~" : "") + cell(latency.percentile_ns(p)));
    }
    into.push_back(cell(latency.max_ns()));
  }
  std::string legend(const Style& style) const { return any_unsure_ ? legend_of_unsure(style) : ""; }

 private:
  std::string words(double time) const {
    return unit_ == analyze::TimeUnit::ticks ? analyze::count_words(static_cast<std::uint64_t>(std::llround(time)))
                                             : analyze::time_words(time);
  }

  std::vector<std::string> percentiles_;
  bool with_min_, any_unsure_ = false;
  analyze::TimeUnit unit_;
};

// Rows of a name stand together, that of all threads first. A row of one thread says nothing new where there is only
// one; the row of all threads then names it.
template <class Row>
std::vector<std::pair<const Row*, std::string>> with_places(const std::vector<const Row*>& rows) {
  std::vector<std::pair<const Row*, std::string>> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->thread) continue;
    std::size_t threads = 0;
    while (i + threads + 1 < rows.size() && rows[i + threads + 1]->thread) ++threads;
    out.emplace_back(rows[i], threads == 1 ? visible(rows[i + 1]->thread_name) : threads == 0 ? "-" : "all");
    for (std::size_t t = 1; threads > 1 && t <= threads; ++t)
      out.emplace_back(rows[i + t], std::string("  ") + visible(rows[i + t]->thread_name));
  }
  return out;
}

}  // namespace tl::render
