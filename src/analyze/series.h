// What the program records beside scopes: numbers of its own, and the time from pulse to pulse.
#pragma once

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "analyze/summary.h"

namespace tl::analyze {

// The unit of histograms of times.
inline std::uint64_t tenths_of(double ns) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 63;
  const double tenths = std::round(ns * 10);
  return tenths >= 9.2e18 ? kMost : tenths > 0 ? static_cast<std::uint64_t>(tenths) : 0;
}

// Of what lasted `duration` until `end`: it ended before it began, or began before the clock did.
inline bool is_anomaly(std::uint64_t end, std::uint64_t duration) {
  return duration >= std::uint64_t{1} << 63 || duration > end;
}
void count_anomaly(std::uint64_t duration, const clock::Converter& converter, ClockFacts& facts);

class Series {
 public:
  Series(read::Dump& dump, const Filter& filter, Arena& arena, ClockFacts& facts)
      : dump_(dump), filter_(filter), arena_(arena), facts_(facts) {}

  // Record i of the run.
  void take(const read::RecordRun& run, std::uint32_t i);

  // By what stands first in the list of names; of pulses a row for all threads before those of each.
  std::vector<ValueRow> values() const;
  std::vector<PulseRow> pulses() const;
  std::uint64_t unknown() const { return unknown_; }  // records of a kind of a later version
  // On any thread, whatever the filter.
  bool uses(std::uint32_t id) const { return used_.count(id) > 0; }

 private:
  hist::Histogram& gaps_of(std::uint32_t thread, std::uint16_t id);
  bool selected(std::uint32_t thread);

  read::Dump& dump_;
  const Filter& filter_;
  Arena& arena_;
  ClockFacts& facts_;
  std::unordered_map<std::uint32_t, bool> selected_;
  std::unordered_map<std::uint16_t, SignedDistribution> values_;
  std::unordered_map<std::uint64_t, hist::Histogram> gaps_;  // by id and thread, the id above
  std::set<std::uint32_t> used_;
  std::uint64_t unknown_ = 0;
  std::uint64_t last_ = 0;  // key of the gaps looked up last
  hist::Histogram* last_gaps_ = nullptr;
  std::uint16_t last_value_id_ = 0;
  SignedDistribution* last_value_ = nullptr;
};

}  // namespace tl::analyze
