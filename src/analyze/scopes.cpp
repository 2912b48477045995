// Scope records into rows. The dump is read backwards: in a thread's ring an outer scope ends after those inside it, so
// backwards each scope comes before its children, and what encloses a record is a stack no deeper than the program's
// nesting. Forwards, every finished scope would have to be kept until one that encloses it may still come.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

constexpr std::uint64_t kBackwards = std::uint64_t{1} << 63;
constexpr std::size_t kDeepest = 2048;  // twice what a thread can have open: more is not nesting but a crafted file

struct Cell {  // one scope on one thread
  std::uint32_t thread = 0;
  std::uint16_t id = 0;
  hist::Histogram histogram;
  double outermost_ns = 0, all_ns = 0, children_ns = 0;
  std::uint64_t mismatched = 0, unfinished = 0;
  std::uint32_t enclosing = 0;  // how often it is on its thread's stack right now
};

struct Enclosing {
  std::uint64_t begin, end;
  std::uint32_t cell;
};

class Measurer {
 public:
  Measurer(const clock::Converter& converter, Arena& arena, ClockFacts& facts)
      : converter_(converter), arena_(arena), facts_(facts) {}

  Cell& cell(std::uint32_t thread, std::uint32_t id) { return cells_[index_of(thread, id)]; }
  std::vector<Cell>& cells() { return cells_; }

  void take(const read::RecordRun& run) {
    std::vector<Enclosing>& stack = stacks_[run.thread];
    for (std::uint32_t i = run.count; i-- > 0;) {
      if (!dump::is_scope(run.kind[i])) continue;
      const std::uint64_t end = run.ticks[i], duration = run.number[i];
      if (i + 1 == run.count || run.id[i] != run.id[i + 1]) last_ = index_of(run.thread, run.id[i]);
      if (duration >= kBackwards || duration > end)
        anomaly(duration);
      else
        sample(stack, end, duration);
    }
  }

 private:
  // Blocks of many threads take turns, and ids change with every record: most look-ups are answered by a direct-mapped
  // cache in front of the map (of 1,000 ids on 4 threads 20 million records took 5.3 s without it).
  std::uint32_t index_of(std::uint32_t thread, std::uint32_t id) {
    const std::uint64_t key = std::uint64_t{thread} << 16 | id;
    Recent& recent = recent_[(id + thread * 40503u) % kRecent];
    if (recent.key == key) return recent.cell;
    recent = {key, look_up(thread, id, key)};
    return recent.cell;
  }

  std::uint32_t look_up(std::uint32_t thread, std::uint32_t id, std::uint64_t key) {
    const auto [at, is_new] = index_.try_emplace(key, cells_.size());
    if (is_new) {
      cells_.emplace_back();
      cells_.back().thread = thread;
      cells_.back().id = static_cast<std::uint16_t>(id);
      cells_.back().histogram = hist::Histogram(arena_.memory());
    }
    return static_cast<std::uint32_t>(at->second);
  }

  void anomaly(std::uint64_t duration) {
    ++facts_.anomalies;
    const double ticks = static_cast<double>(static_cast<std::int64_t>(duration));
    facts_.worst_anomaly_ns = std::min(facts_.worst_anomaly_ns, ticks * converter_.ns_per_tick());
  }

  void sample(std::vector<Enclosing>& stack, std::uint64_t end, std::uint64_t duration) {
    Cell& here = cells_[last_];
    const std::uint64_t begin = end - duration;
    const double ns = converter_.duration_ns(end, duration);
    const double tenths = std::round(ns * 10);
    here.histogram.record(tenths >= 9.2e18 ? kBackwards : tenths > 0 ? static_cast<std::uint64_t>(tenths) : 0);
    here.all_ns += ns;
    while (!stack.empty() && (begin < stack.back().begin || end > stack.back().end)) {
      --cells_[stack.back().cell].enclosing;
      stack.pop_back();
    }
    if (!stack.empty()) cells_[stack.back().cell].children_ns += ns;
    if (here.enclosing == 0) here.outermost_ns += ns;
    // One of no length encloses nothing that lasts; kept, a row of equal stamps would nest without end.
    if (duration == 0 || stack.size() >= kDeepest) return;
    ++here.enclosing;
    stack.push_back({begin, end, last_});
  }

  static constexpr std::size_t kRecent = 1u << 16;
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};  // no scope has it: ids are 16 bits of 48
    std::uint32_t cell = 0;
  };

  const clock::Converter& converter_;
  Arena& arena_;
  ClockFacts& facts_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
  std::vector<Cell> cells_;
  std::unordered_map<std::uint32_t, std::vector<Enclosing>> stacks_;
  std::uint32_t last_ = 0;
};

std::string name_of(const read::Facts& facts, std::uint32_t id) {
  if (id - 1 < facts.names.size() && facts.names[id - 1]) return *facts.names[id - 1];
  return std::string("scope ") + std::to_string(id) + " (its name is not in the file)";
}

ScopeRow row_of(const Cell& cell, std::string name, std::optional<double> duration_ns) {
  ScopeRow row;
  row.name = std::move(name);
  row.latency.histogram = cell.histogram;
  row.total_ns = cell.outermost_ns;
  row.self_ns = std::max(0.0, cell.all_ns - cell.children_ns);
  row.mismatched = cell.mismatched;
  row.unfinished = cell.unfinished;
  if (duration_ns && *duration_ns > 0)
    row.rate_per_s = static_cast<double>(cell.histogram.count()) / (*duration_ns / 1e9);
  return row;
}

}  // namespace

std::vector<ScopeRow> measure_scopes(read::Dump& dump, const Filter& filter, std::optional<double> duration_ns,
                                     Arena& arena, ClockFacts& clock) {
  const read::Facts& facts = dump.facts();
  Measurer measurer(dump.clock(), arena, clock);
  dump.for_each_run(read::Order::backwards, [&](const read::RecordRun& run) { measurer.take(run); });
  for (const auto& [serial, thread] : facts.threads) {
    for (const auto& [id, times] : thread.mismatched)
      if (id != 0) measurer.cell(serial, id).mismatched += times;
    for (const auto& [id, times] : thread.abandoned)
      if (id != 0) measurer.cell(serial, id).unfinished += times;
    for (const read::OpenScope& open : thread.open) ++measurer.cell(serial, open.id).unfinished;
  }

  // By name id, then thread: registered ones that never ran included.
  std::vector<std::vector<const Cell*>> by_id(facts.names.size() + 1);
  for (const Cell& cell : measurer.cells()) {
    if (cell.id >= by_id.size()) by_id.resize(cell.id + 1u);
    by_id[cell.id].push_back(&cell);
  }
  std::vector<std::vector<ScopeRow>> groups;
  for (std::uint32_t id = 1; id < by_id.size(); ++id) {
    const bool registered = id - 1 < facts.names.size() && facts.names[id - 1];
    if (!registered && by_id[id].empty()) continue;
    const std::string name = name_of(facts, id);
    if (filter.scope && !filter.scope(name)) continue;
    auto& cells = by_id[id];
    std::sort(cells.begin(), cells.end(), [](const Cell* a, const Cell* b) { return a->thread < b->thread; });
    Cell all;
    all.histogram = hist::Histogram(arena.memory());
    std::vector<ScopeRow> group(1);
    for (const Cell* cell : cells) {
      if (!thread_selected(dump, cell->thread, filter)) continue;
      all.histogram.add(cell->histogram);
      all.outermost_ns += cell->outermost_ns;
      all.all_ns += cell->all_ns;
      all.children_ns += cell->children_ns;
      all.mismatched += cell->mismatched;
      all.unfinished += cell->unfinished;
      ScopeRow row = row_of(*cell, name, duration_ns);
      row.thread = cell->thread;
      row.thread_name = thread_label(dump, cell->thread);
      group.push_back(std::move(row));
    }
    group[0] = row_of(all, name, duration_ns);
    groups.push_back(std::move(group));
  }
  // Most time first, so that what matters stands on top; the order of registration among equals.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a[0].total_ns > b[0].total_ns; });
  std::vector<ScopeRow> rows;
  for (auto& group : groups) std::move(group.begin(), group.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace tl::analyze
