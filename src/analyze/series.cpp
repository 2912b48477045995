#include "analyze/series.h"

#include <map>

namespace tl::analyze {

void count_anomaly(std::uint64_t duration, const clock::Converter& converter, ClockFacts& facts) {
  ++facts.anomalies;
  const double ticks = static_cast<double>(static_cast<std::int64_t>(duration));
  facts.worst_anomaly_ns = std::min(facts.worst_anomaly_ns, ticks * converter.ns_per_tick());
}

bool Series::selected(std::uint32_t thread) {
  const auto [at, is_new] = selected_.try_emplace(thread, true);
  if (is_new) at->second = thread_selected(dump_, thread, filter_);
  return at->second;
}

hist::Histogram& Series::gaps_of(std::uint32_t thread, std::uint16_t id) {
  const std::uint64_t key = std::uint64_t{id} << 32 | thread;
  if (last_gaps_ == nullptr || last_ != key) {
    last_gaps_ = &gaps_.try_emplace(key, arena_.memory()).first->second;
    last_ = key;
  }
  return *last_gaps_;
}

void Series::take(const read::RecordRun& run, std::uint32_t i) {
  const std::uint16_t id = run.id[i];
  if (run.kind[i] == dump::RecordKind::value) {
    if (last_value_ == nullptr || last_value_id_ != id) {
      used_.insert(id);
      last_value_ = &values_.try_emplace(id, arena_.memory()).first->second;
      last_value_id_ = id;
    }
    if (!filter_.thread || selected(run.thread))
      last_value_->record(static_cast<std::int64_t>(dump::unzigzag(run.number[i])));
  } else if (run.kind[i] == dump::RecordKind::pulse) {
    hist::Histogram& gaps = gaps_of(run.thread, id);
    if (gaps.count() == 0) used_.insert(id);
    if (is_anomaly(run.ticks[i], run.number[i])) return count_anomaly(run.number[i], dump_.clock(), facts_);
    gaps.record(tenths_of(dump_.clock().duration_ns(run.ticks[i], run.number[i])));
  } else {
    ++unknown_;
  }
}

std::vector<ValueRow> Series::values() const {
  std::vector<ValueRow> rows;
  for (const auto& [id, values] : std::map(values_.begin(), values_.end())) {
    const std::string name = scope_name(dump_.facts(), id);
    if (values.count() > 0 && (!filter_.scope || filter_.scope(name))) rows.push_back({name, values});
  }
  return rows;
}

std::vector<PulseRow> Series::pulses() const {
  std::vector<PulseRow> rows;
  std::size_t all = 0;
  std::uint64_t all_id = 0;
  for (const auto& [key, gaps] : std::map(gaps_.begin(), gaps_.end())) {
    const auto thread = static_cast<std::uint32_t>(key);
    const std::uint64_t id = key >> 32;
    const std::string name = scope_name(dump_.facts(), static_cast<std::uint32_t>(id));
    if ((filter_.scope && !filter_.scope(name)) || !thread_selected(dump_, thread, filter_)) continue;
    if (all_id != id) {
      all_id = id;
      all = rows.size();
      rows.push_back({name, std::nullopt, "", {hist::Histogram(arena_.memory())}});
    }
    rows[all].gaps.histogram.add(gaps);
    rows.push_back({name, thread, thread_label(dump_, thread), {gaps}});
  }
  return rows;
}

}  // namespace tl::analyze
