// The records of all threads, in one pass, into the rows of a report.
#include <algorithm>

#include "analyze/scope_times.h"
#include "analyze/series.h"
#include "analyze/summary.h"

namespace tl::analyze {

std::string scope_name(const read::Facts& facts, std::uint32_t id) {
  if (id - 1 < facts.names.size() && facts.names[id - 1]) return *facts.names[id - 1];
  return std::string("scope ") + std::to_string(id) + " (its name is not in the file)";
}

namespace {

unsigned ways_of(const ScopeCell& cell) {
  unsigned ways = (cell.kinds & kSpanBit) != 0 ? 1u << kSpanWay : 0;
  for (unsigned kind = 0; kind < kScopeKinds; ++kind)
    if ((cell.kinds >> kind & 1) != 0) ways |= 1u << way_of(static_cast<dump::RecordKind>(kind));
  return ways;
}

// What a row is made of: one cell, or several added up.
struct Sum {
  // All but the histograms.
  void count(const ScopeCell& cell, const ResponseCell* answered) {
    early += answered != nullptr ? answered->early : 0;
    outermost_ns += cell.outermost_ns;
    self_ns += cell.all_ns - cell.children_ns;
    mismatched += cell.mismatched;
    unfinished += cell.unfinished;
    discarded += cell.discarded;
    allocations.add(cell.allocations);
    ways |= ways_of(cell);
  }

  ScopeRow row(const std::string& name, double duration_ns) const {
    ScopeRow out;
    out.name = name;
    out.latency.histogram = latency;
    out.response.histogram = response;
    out.early = early;
    out.total_ns = outermost_ns;
    out.self_ns = std::max(0.0, self_ns);
    out.mismatched = mismatched;
    out.unfinished = unfinished;
    out.discarded = discarded;
    out.ways = ways;
    out.allocations = allocations;
    out.allocations.per_scope = per_scope;
    if (latency.count() > allocations.scopes_with)
      out.allocations.per_scope.record(0, latency.count() - allocations.scopes_with);
    if (duration_ns > 0) out.rate_per_s = static_cast<double>(latency.count()) / (duration_ns / 1e9);
    return out;
  }

  hist::Histogram latency, response, per_scope;
  ScopeAllocations allocations;  // all but its histogram
  std::uint64_t early = 0, mismatched = 0, unfinished = 0, discarded = 0;
  double outermost_ns = 0, self_ns = 0;
  unsigned ways = 0;
};

// What the records of scopes do not tell: ends and begins that found no other half.
void count_troubles(const read::Facts& facts, ScopeTimes& times) {
  for (const auto& [serial, thread] : facts.threads) {
    for (const auto& [id, n] : thread.mismatched)
      if (id != 0) times.cell(serial, id).mismatched += n;
    for (const auto& [id, n] : thread.abandoned)
      if (id != 0) times.cell(serial, id).unfinished += n;
    for (const auto& [id, n] : thread.discarded)
      if (id != 0) times.cell(serial, id).discarded += n;
    for (const read::OpenScope& open : thread.open) {
      ScopeCell& cell = times.cell(serial, open.id);
      ++(open.discarded ? cell.discarded : cell.unfinished);
    }
  }
}

}  // namespace

void measure_records(read::Dump& dump, const Filter& filter, Report& report) {
  const read::Facts& facts = dump.facts();
  Arena& arena = *report.arena;
  const double duration_ns = report.process ? report.process->duration_ns.value_or(0) : 0;  // 0: not known
  ScopeTimes times(dump.clock(), arena, report.clock, report.corrected ? &report.cost : nullptr);
  Series series(dump, filter, arena, report.clock);
  dump.for_each_run(read::Order::backwards, [&](const read::RecordRun& run) { times.take(run, series); });
  times.finish();
  count_troubles(facts, times);

  std::vector<std::vector<const ScopeCell*>> by_id(facts.names.size() + 1);
  for (const ScopeCell& cell : times.cells()) {
    if (cell.id >= by_id.size()) by_id.resize(cell.id + 1u);
    by_id[cell.id].push_back(&cell);
    report.ways |= ways_of(cell);
  }
  // By name id, then thread: registered ones that never ran included, unless the name is that of something else.
  std::vector<std::vector<ScopeRow>> groups;
  for (std::uint32_t id = 1; id < by_id.size(); ++id) {
    const bool registered = id - 1 < facts.names.size() && facts.names[id - 1];
    if (by_id[id].empty() && (!registered || series.uses(id))) continue;
    const std::string name = scope_name(facts, id);
    if (filter.scope && !filter.scope(name)) continue;
    auto& cells = by_id[id];
    std::sort(cells.begin(), cells.end(), [](const auto* a, const auto* b) { return a->thread < b->thread; });
    Sum all;
    all.latency = hist::Histogram(arena.memory());
    all.response = hist::Histogram(arena.memory());
    all.per_scope = hist::Histogram(arena.memory());
    std::vector<ScopeRow> group(1);
    for (const ScopeCell* cell : cells) {
      if (!thread_selected(dump, cell->thread, filter)) continue;
      const ResponseCell* response = times.response_of(*cell);
      all.latency.add(cell->histogram);
      if (response != nullptr) all.response.add(response->histogram);
      all.per_scope.add(cell->allocations.per_scope);
      all.count(*cell, response);
      Sum one;
      one.per_scope = hist::Histogram(arena.memory());
      one.per_scope.add(cell->allocations.per_scope);
      one.latency = cell->histogram;  // shares its pages
      if (response != nullptr) one.response = response->histogram;
      one.count(*cell, response);
      group.push_back(one.row(name, duration_ns));
      group.back().thread = cell->thread;
      group.back().thread_name = thread_label(dump, cell->thread);
    }
    group[0] = all.row(name, duration_ns);
    for (ScopeRow& row : group) row.floor_ns = floor_of(row.ways, report.cost, report.corrected);
    groups.push_back(std::move(group));
  }
  // Most time first, so that what matters stands on top; the order of registration among equals.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a[0].total_ns > b[0].total_ns; });
  for (auto& group : groups) std::move(group.begin(), group.end(), std::back_inserter(report.scopes));
  report.values = series.values();
  report.pulses = series.pulses();
  if (series.unknown() > 0)
    report.notes.push_back(counted(series.unknown(), "record of a kind that this version does not know was",
                                   "records of a kind that this version does not know were") +
                           " passed over");
}

}  // namespace tl::analyze
