// What recording itself takes, from ticks into nanoseconds, and which times it makes meaningless.
#include <algorithm>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

// Half of the tenth to which times are kept.
constexpr double kRounding = 0.05;

}  // namespace

bool OwnCost::any_pair() const {
  return std::any_of(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.has_value(); });
}

OwnCost own_cost_of(const read::Dump& dump) {
  OwnCost out;
  const auto& from = dump.facts().cost;
  if (!from) return out;
  const double scale = dump.clock().ns_per_tick();
  const auto ns = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * scale; };
  if (from->step_ticks > 0) out.step_ns = ns(from->step_ticks);
  for (const read::CostRow& row : from->rows) {
    if (row.samples == 0) continue;  // nothing was measured
    const CostFacts facts = {ns(row.min), ns(row.p50),   ns(row.p90), ns(row.p99),
                             ns(row.max), ns(row.whole), row.samples};
    const auto kind = static_cast<dump::RecordKind>(row.kind);
    if (row.kind == dump::kCostNext)
      out.next = facts;
    else if (row.kind == dump::kCostPulse)
      out.pulse = facts;
    else if (dump::is_scope(kind) && way_of(kind) < kPairs)
      out.pairs[way_of(kind)] = facts;
  }
  return out;
}

std::optional<double> floor_of(unsigned ways, const OwnCost& cost, bool corrected) {
  std::optional<double> floor;
  for (unsigned way = 0; ways >> way != 0; ++way) {
    if ((ways >> way & 1) == 0) continue;
    if (way >= kPairs || !cost.pairs[way]) return std::nullopt;
    const CostFacts& empty = *cost.pairs[way];
    if (corrected)
      floor = std::max(floor.value_or(0), empty.p99_ns - empty.p50_ns + kRounding);
    else
      floor = std::min(floor.value_or(empty.p50_ns), empty.p50_ns - kRounding);
  }
  return floor;
}

}  // namespace tl::analyze
