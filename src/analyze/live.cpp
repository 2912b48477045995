#include "analyze/live.h"

#include <algorithm>

#include "analyze/series.h"
#include "analyze/summary.h"

namespace tl::analyze {

void LiveTimes::take(const read::RecordRun& run) {
  std::uint16_t known = 0;  // no record has id 0
  Cell* cell = nullptr;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    if (!dump::is_scope(run.kind[i]) && run.kind[i] != dump::RecordKind::span) continue;
    if (is_anomaly(run.ticks[i], run.number[i])) continue;
    if (cell == nullptr || run.id[i] != known) {
      known = run.id[i];
      cell = &cells_.try_emplace(known, Cell{hist::Histogram(all_->memory()), hist::Histogram(lately_->memory())})
                  .first->second;
    }
    cell->total.record(run.number[i]);
    cell->interval.record(run.number[i]);
  }
}

LiveView LiveTimes::view(const read::Dump& dump, std::optional<double> seconds,
                         const std::function<bool(const std::string&)>& scope, bool ended) {
  LiveView out;
  out.interval = ++intervals_;
  if (intervals_ > 1) out.seconds = seconds;
  out.process = process_facts(dump);
  if (const auto& part = dump.facts().files.back().part; part.number != 0) out.part = part.number;
  if (!dump.clock().rate_known()) out.unit = TimeUnit::ticks;
  out.records = dump.facts().records;
  out.elsewhere = records_elsewhere(dump);
  const double ns_per_tick = dump.clock().ns_per_tick();
  for (auto& [id, cell] : cells_) {
    const std::string name = scope_name(dump.facts(), id);
    if (!scope || scope(name)) out.scopes.push_back({name, {cell.total, ns_per_tick}, {cell.interval, ns_per_tick}});
  }
  std::stable_sort(out.scopes.begin(), out.scopes.end(),
                   [](const LiveRow& a, const LiveRow& b) { return a.total.total_ns() > b.total.total_ns(); });
  out.losses = count_losses(dump, {});
  out.ended = ended;
  for (const read::Warning& warning : dump.facts().warnings.first) {
    out.warnings.push_back(warning.text);
    out.out_of_room = out.out_of_room || (warning.code == "no_space" && !ended);
  }
  if (ended) out.partial = partial_reasons(dump, out.losses);
  // The pages of this view's interval last until the next one.
  before_ = std::move(lately_);
  lately_ = std::make_unique<Arena>();
  for (auto& [id, cell] : cells_) cell.interval = hist::Histogram(lately_->memory());
  return out;
}

}  // namespace tl::analyze
