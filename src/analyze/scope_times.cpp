#include "analyze/scope_times.h"

#include <algorithm>

namespace tl::analyze {

ScopeTimes::ScopeTimes(const clock::Converter& converter, Arena& arena, ClockFacts& facts, const OwnCost* cost)
    : converter_(converter), arena_(arena), facts_(facts), corrected_(cost != nullptr) {
  for (unsigned kind = 0; cost != nullptr && kind < kScopeKinds; ++kind) {
    const unsigned way = way_of(static_cast<dump::RecordKind>(kind));
    if (way >= kPairs || !cost->pairs[way]) continue;
    measures_ns_[kind] = cost->pairs[way]->p50_ns;
    takes_ns_[kind] = cost->pairs[way]->whole_ns;
  }
}

// Blocks of many threads take turns, and ids change with every record: most look-ups are answered by a direct-mapped
// cache in front of the map (of 1,000 ids on 4 threads 20 million records took 5.3 s without it).
inline std::uint32_t ScopeTimes::index_of(std::uint32_t thread, std::uint32_t id) {
  const std::uint64_t key = std::uint64_t{thread} << 16 | id;
  Recent& recent = recent_[(id + thread * 40503u) % kRecent];
  if (recent.key == key) return recent.cell;
  recent = {key, look_up(thread, id, key)};
  return recent.cell;
}

ScopeCell& ScopeTimes::cell(std::uint32_t thread, std::uint32_t id) { return cells_[index_of(thread, id)]; }

std::uint32_t ScopeTimes::look_up(std::uint32_t thread, std::uint32_t id, std::uint64_t key) {
  const auto [at, is_new] = index_.try_emplace(key, cells_.size());
  if (is_new) {
    cells_.emplace_back();
    cells_.back().thread = thread;
    cells_.back().id = static_cast<std::uint16_t>(id);
    cells_.back().histogram = hist::Histogram(arena_.memory());
  }
  return static_cast<std::uint32_t>(at->second);
}

// The innermost that is still on the stack lies in the one below it, which then is its parent.
void ScopeTimes::correct(Thread& thread, std::uint32_t cell, unsigned kind, Waiting own, bool outermost) {
  ScopeCell& here = cells_[cell];
  const double ns = std::max(0.0, own.ns - measures_ns_[kind] - own.inside_ns);
  here.histogram.record(tenths_of(ns));
  here.all_ns += ns;
  if (outermost) here.outermost_ns += ns;
  if (thread.stack.empty()) return;
  cells_[thread.stack.back().cell].children_ns += ns;
  thread.waiting.back().inside_ns += own.inside_ns + takes_ns_[kind];
}

template <bool kCorrected>
inline void ScopeTimes::leave(Thread& thread) {
  const Enclosing left = thread.stack.back();
  if (!thread.asked.empty()) settle_asked(thread, left, thread.stack.size());
  --cells_[left.cell].enclosing;
  thread.stack.pop_back();
  if constexpr (kCorrected) {
    const Waiting own = thread.waiting.back();
    thread.waiting.pop_back();
    correct(thread, left.cell, left.kind, own, left.outermost);
  }
}

template <bool kCorrected>
inline void ScopeTimes::sample(Thread& thread, std::uint32_t cell, unsigned kind, std::uint64_t end,
                               std::uint64_t duration) {
  std::vector<Enclosing>& stack = thread.stack;
  const std::uint64_t begin = end - duration;
  ScopeCell& here = cells_[cell];
  const double ns = converter_.duration_ns(end, duration);
  here.kinds |= 1u << kind;
  if constexpr (!kCorrected) {
    here.histogram.record(tenths_of(ns));
    here.all_ns += ns;
  }
  while (!stack.empty() && (begin < stack.back().begin || end > stack.back().end)) leave<kCorrected>(thread);
  const bool outermost = here.enclosing == 0;
  if constexpr (!kCorrected) {
    if (outermost) here.outermost_ns += ns;
    if (!stack.empty()) cells_[stack.back().cell].children_ns += ns;
  }
  // One of no length encloses nothing that lasts; kept, a row of equal stamps would nest without end.
  if (duration == 0 || stack.size() >= kDeepest) {
    if constexpr (kCorrected) correct(thread, cell, kind, {ns, 0}, outermost);
    return;
  }
  ++here.enclosing;
  stack.push_back({begin, end, cell, static_cast<std::uint8_t>(kind), outermost});
  if constexpr (kCorrected) thread.waiting.push_back({ns, 0});
}

// The id of a scope that is a sample, or 0.
std::uint16_t ScopeTimes::sampled_at(const read::RecordRun& run, std::uint32_t i) {
  return dump::is_scope(run.kind[i]) && !is_anomaly(run.ticks[i], run.number[i]) ? run.id[i] : 0;
}

void ScopeTimes::add_asked(ScopeCell& cell, const Asked& asked, bool outermost) {
  ScopeAllocations& here = cell.allocations;
  if (outermost) {
    here.count += asked.count;
    here.bytes += asked.bytes;
    here.ns += asked.ns;
  }
  if (asked.count == 0) return;
  if (here.scopes_with++ == 0) here.per_scope = hist::Histogram(arena_.memory());
  here.per_scope.record(asked.count);
}

// The innermost on the stack is left: what it asked for, it asked for within the one below it too.
void ScopeTimes::settle_asked(Thread& thread, const Enclosing& left, std::size_t depth) {
  const Asked asked = thread.asked.back();
  if (asked.depth != depth) return;
  thread.asked.pop_back();
  add_asked(cells_[left.cell], asked, left.outermost);
  if (depth == 1) return;
  if (thread.asked.empty() || thread.asked.back().depth != depth - 1) thread.asked.push_back({depth - 1, 0, 0, 0});
  Asked& parent = thread.asked.back();
  parent.count += asked.count;
  parent.bytes += asked.bytes;
  parent.ns += asked.ns;
}

// Of the scope in the record after it, which was just sampled; backwards they come ticks first, count last.
void ScopeTimes::take_asked(const read::RecordRun& run, std::uint32_t i, Thread& thread) {
  const std::uint64_t number = run.number[i];
  if (number > dump::kMaxNumber) return;
  const std::size_t depth = thread.stack.size();
  if (depth == 0 || thread.stack.back().end != run.ticks[i] || cells_[thread.stack.back().cell].id != run.id[i]) return;
  if (thread.asked.empty() || thread.asked.back().depth != depth) thread.asked.push_back({depth, 0, 0, 0});
  Asked& asked = thread.asked.back();
  switch (run.kind[i]) {
    case dump::RecordKind::allocated_count:
      asked.count += number;
      cells_[thread.stack.back().cell].allocations.self_count += number;
      return;
    case dump::RecordKind::allocated_bytes:
      asked.bytes += number;
      return;
    default:
      asked.ns += converter_.duration_ns(run.ticks[i], number);
  }
}

void ScopeTimes::take_other(const read::RecordRun& run, std::uint32_t i, Thread& thread, Series& others) {
  const dump::RecordKind kind = run.kind[i];
  if (kind >= dump::RecordKind::allocated_count && kind <= dump::RecordKind::allocator_ticks)
    return take_asked(run, i, thread);
  const std::uint64_t end = run.ticks[i], duration = run.number[i];
  if (kind == dump::RecordKind::span) {
    ScopeCell& here = cells_[index_of(run.thread, run.id[i])];
    if (is_anomaly(end, duration)) return count_anomaly(duration, converter_, facts_);
    const double ns = converter_.duration_ns(end, duration);
    here.kinds |= kSpanBit;
    here.histogram.record(tenths_of(ns));
    here.all_ns += ns;
    here.outermost_ns += ns;
    return;
  }
  if (kind != dump::RecordKind::response && kind != dump::RecordKind::early_response) return others.take(run, i);
  // Without its scope, which was lost or cut away, or whose stamps are an anomaly, it is the response of nothing.
  if ((i + 1 == run.count ? thread.sampled_after : sampled_at(run, i + 1)) != run.id[i]) return;
  if (is_anomaly(end, duration)) return count_anomaly(duration, converter_, facts_);
  ScopeCell& here = cells_[index_of(run.thread, run.id[i])];
  if (here.response == 0) {
    responses_.push_back({hist::Histogram(arena_.memory()), 0});
    here.response = static_cast<std::uint32_t>(responses_.size());
  }
  ResponseCell& response = responses_[here.response - 1];
  response.histogram.record(tenths_of(converter_.duration_ns(end, duration)));
  response.early += kind == dump::RecordKind::early_response;
}

template <bool kCorrected>
void ScopeTimes::take_run(const read::RecordRun& run, Series& others) {
  Thread& thread = threads_[run.thread];
  const std::uint64_t *ticks = run.ticks, *number = run.number;
  const std::uint16_t* id = run.id;
  const dump::RecordKind* kind = run.kind;
  std::uint16_t known = 0;  // no record has id 0
  std::uint32_t cell = 0;   // of the known id
  for (std::uint32_t i = run.count; i-- > 0;) {
    if (!dump::is_scope(kind[i])) {
      take_other(run, i, thread, others);
      continue;
    }
    if (id[i] != known) cell = index_of(run.thread, known = id[i]);
    if (is_anomaly(ticks[i], number[i]))
      count_anomaly(number[i], converter_, facts_);
    else
      sample<kCorrected>(thread, cell, static_cast<unsigned>(kind[i]), ticks[i], number[i]);
  }
  thread.sampled_after = sampled_at(run, 0);
}

void ScopeTimes::take(const read::RecordRun& run, Series& others) {
  if (run.count == 0) return;
  if (corrected_)
    take_run<true>(run, others);
  else
    take_run<false>(run, others);
}

void ScopeTimes::finish() {
  for (auto& [serial, thread] : threads_)
    while (!thread.stack.empty()) corrected_ ? leave<true>(thread) : leave<false>(thread);
}

}  // namespace tl::analyze
