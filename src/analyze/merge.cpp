// Several dumps as one table. Scopes are the same if their names are; threads of different processes have nothing in
// common, so only rows of all threads are made.
#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

constexpr double kTenth = 0.1;  // ns: the unit in which histograms of different clocks meet

// Ticks of one machine into tenths of ns, bucket by bucket at the bucket's highest value; counts, sums and extremes
// stay exact to that unit.
void add_in_tenths(const Latency& from, hist::Histogram& to) {
  const double tenths = from.ns_per_unit / kTenth;
  const auto scaled = [&](double units) {
    return static_cast<std::uint64_t>(std::llround(std::min(units * tenths, 9e18)));
  };
  from.histogram.for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
    const std::uint64_t highest = std::min(from.histogram.buckets().highest_of(index), from.histogram.max());
    to.load_bucket(to.buckets().index_of(scaled(static_cast<double>(highest))), times);
    return true;
  });
  to.load_totals(from.count(), scaled(static_cast<double>(from.histogram.sum())),
                 scaled(static_cast<double>(from.histogram.min())), scaled(static_cast<double>(from.histogram.max())));
}

// The row of that name, and whether it is new.
template <class Row>
std::pair<Row&, bool> row_of(std::vector<Row>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  if (found != rows.end()) return {*found, false};
  rows.emplace_back();
  rows.back().name = name;
  return {rows.back(), true};
}

// Of rows that have samples: the floor that holds for all of them, as in floor_of().
std::optional<double> common_floor(const ScopeRow& a, const ScopeRow& b, bool corrected) {
  if (a.latency.count() == 0 || b.latency.count() == 0) return a.latency.count() == 0 ? b.floor_ns : a.floor_ns;
  if (!a.floor_ns || !b.floor_ns) return std::nullopt;
  return corrected ? std::max(*a.floor_ns, *b.floor_ns) : std::min(*a.floor_ns, *b.floor_ns);
}

void merge_scopes(const Report& from, Report& to) {
  for (const ScopeRow& row : from.scopes) {
    if (row.thread) continue;
    const auto [mine, is_new] = row_of(to.scopes, row.name);
    if (is_new) {
      mine.latency.histogram = hist::Histogram(to.arena->memory());
      mine.response.histogram = hist::Histogram(to.arena->memory());
      mine.allocations.per_scope = hist::Histogram(to.arena->memory());
    }
    mine.floor_ns = common_floor(mine, row, from.corrected);
    mine.latency.histogram.add(row.latency.histogram);
    mine.response.histogram.add(row.response.histogram);
    mine.allocations.per_scope.add(row.allocations.per_scope);
    mine.allocations.add(row.allocations);
    mine.early += row.early;
    mine.total_ns += row.total_ns;
    mine.self_ns += row.self_ns;
    mine.mismatched += row.mismatched;
    mine.unfinished += row.unfinished;
    mine.discarded += row.discarded;
    mine.ways |= row.ways;
  }
}

void merge_series(const Report& from, Report& to) {
  for (const ValueRow& row : from.values) {
    const auto [mine, is_new] = row_of(to.values, row.name);
    if (is_new) mine.values = SignedDistribution(to.arena->memory());
    mine.values.add(row.values);
  }
  for (const PulseRow& row : from.pulses) {
    if (row.thread) continue;
    const auto [mine, is_new] = row_of(to.pulses, row.name);
    if (is_new) mine.gaps.histogram = hist::Histogram(to.arena->memory());
    mine.gaps.histogram.add(row.gaps.histogram);
  }
}

}  // namespace

std::string why_not_merged(const std::vector<Report>& reports, const Report& report) {
  if (!report.clock.rate_known) return "the rate of its ticks is not known";
  const bool corrected = std::any_of(reports.begin(), reports.end(), [](const Report& r) { return r.corrected; });
  return corrected && !report.corrected ? "its times cannot be corrected" : "";
}

Report merge(const std::vector<Report>& reports) {
  Report out;
  Allocations& sums = out.allocations;
  std::map<std::pair<unsigned, unsigned>, hist::Histogram> by_call;
  std::uint64_t records = 0, bytes = 0;
  double duration_ns = 0;
  for (const Report& report : reports) {
    for (const std::string& reason : report.partial) out.partial.push_back(report.file.path + ": " + reason);
    if (const std::string why = why_not_merged(reports, report); !why.empty()) {
      out.notes.push_back(report.file.path + ": in no merged number, since " + why);
      out.partial.push_back(out.notes.back());
      continue;
    }
    records += report.file.records;
    bytes += report.file.bytes;
    if (report.process) duration_ns += report.process->duration_ns.value_or(0);
    out.corrected |= report.corrected;
    merge_scopes(report, out);
    merge_series(report, out);
    sums.counted |= report.allocations.counted;
    sums.timed |= report.allocations.timed;
    sums.observable |= report.allocations.observable;
    if (!report.allocations.observable && sums.why_not.empty())
      sums.why_not = report.file.path + ": " + report.allocations.why_not;
    for (unsigned call = 0; call < kAllocCalls; ++call) sums.calls[call] += report.allocations.calls[call];
    sums.failed += report.allocations.failed;
    sums.bytes_requested += report.allocations.bytes_requested;
    for (const CallLatency& row : report.allocations.latency)
      add_in_tenths(
          row.latency,
          by_call.try_emplace({row.call, row.size_class}, hist::Histogram(out.arena->memory())).first->second);
    for (unsigned cause = 0; cause < kLossCauses; ++cause) out.losses.by_cause[cause] += report.losses.by_cause[cause];
    out.losses.records += report.losses.records;
    out.losses.not_in_file += report.losses.not_in_file;
    std::vector<std::string>& advice = out.losses.advice;
    for (const std::string& line : report.losses.advice)
      if (std::find(advice.begin(), advice.end(), line) == advice.end()) advice.push_back(line);
    out.clock.anomalies += report.clock.anomalies;
    out.clock.worst_anomaly_ns = std::min(out.clock.worst_anomaly_ns, report.clock.worst_anomaly_ns);
  }
  for (const auto& [key, histogram] : by_call) {
    sums.latency.push_back({key.first, key.second, {histogram, kTenth}});
    sums.timed_calls += histogram.count();
    sums.total_ns += sums.latency.back().latency.total_ns();
  }
  out.file = {"", out.partial.empty(), bytes, records, {}};
  for (ScopeRow& row : out.scopes)
    if (duration_ns > 0) row.rate_per_s = static_cast<double>(row.latency.count()) / (duration_ns / 1e9);
  std::stable_sort(out.scopes.begin(), out.scopes.end(),
                   [](const ScopeRow& a, const ScopeRow& b) { return a.total_ns > b.total_ns; });
  return out;
}

}  // namespace tl::analyze
