// The first lines of a report: what it lacks, what is slowest, where, and what to type next.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/summary.h"
#include "analyze/words.h"

namespace tl::analyze {

namespace {

// Share of a row's time in one call from which on the sentence says so.
constexpr double kMuchInOneCall = 0.2;

class Headline {
 public:
  explicit Headline(const Report& report) : report_(report) {}

  std::vector<std::string> lines() {
    if (report_.losses.records > 0) lost();
    if (!report_.clock.rate_known)
      add("Times are in ticks of the processor's counter: what is in the file does not tell how long a tick is.");
    const std::size_t before = out_.size();
    slowest_scope();
    slowest_response();
    if (out_.size() == before) longest_gap();
    if (!report_.allocations.places.empty())
      allocator_time();
    else
      most_allocations();
    if (out_.size() == before)
      add(report_.narrowed ? "Nothing that was asked for ran."
                           : "Nothing was slow: the dump holds no finished scope, no pulse and no allocation call.");
    return std::move(out_);
  }

 private:
  void add(std::string line) { out_.push_back(std::move(line)); }
  std::string time(double ns) const { return time_words(ns, report_.clock.unit()); }
  std::string time(double ns, const ScopeRow& of) const { return of.below_floor(ns) ? "< floor" : time(ns); }

  // Recorded and lost, each in calls of the program's; none where the rows do not hold all that was recorded.
  std::optional<std::uint64_t> made() const {
    if (!report_.losses.beside_rows || report_.clock.anomalies > 0) return std::nullopt;
    std::uint64_t sum = report_.losses.records + report_.marks.size();
    for (const ScopeRow& row : report_.scopes) sum += row.thread ? row.latency.count() : 0;
    for (const PulseRow& row : report_.pulses) sum += row.thread ? row.gaps.count() : 0;
    for (const ValueRow& row : report_.values) sum += row.values.count();
    return sum;
  }

  // What of the rest is not so sure for it.
  void lost() {
    const Losses& losses = report_.losses;
    const std::uint64_t lost = losses.records;
    const std::optional<std::uint64_t> of = made();
    std::string line = std::string(losses.at_least ? "At least " : "") + count_words(lost);
    line += of ? " of " + counted(*of, "record") : lost == 1 ? " record" : " records";
    if (losses.of_threads) line += " of the threads shown";
    line += lost == 1 ? " was lost" : " were lost";
    if (losses.of_older_parts)
      line += " since the program began";
    else if (report_.process && report_.process->ended == "running")
      line += " so far";
    line += " (" + (of ? share_of_some_words(lost, *of) + ": " : "") + losses.causes(false);
    const bool in_no_row = lost == losses.by_cause[static_cast<unsigned>(LossCause::bad_id)];
    add(line + (in_no_row ? "); they carry ids of no scope, so no row lacks them."
                          : std::string("), so counts ") + (report_.narrowed ? "may be" : "are") +
                                " low and a slow run may be among them."));
  }

  void slowest_scope() {
    const ScopeRow *slowest = nullptr, *most = nullptr;
    for (const ScopeRow& row : report_.scopes) {
      if (!row.thread || row.latency.count() == 0) continue;
      if (slowest == nullptr || row.latency.max_ns() > slowest->latency.max_ns()) slowest = &row;
      if (!row.may_overlap() && (most == nullptr || row.self_ns > most->self_ns)) most = &row;
    }
    if (slowest == nullptr) return;
    // Of several threads only one has it; all threads together say whether it is the rule.
    const ScopeRow* all = slowest;
    std::size_t threads = 0;
    for (const ScopeRow& row : report_.scopes) {
      if (row.name != slowest->name) continue;
      if (!row.thread) all = &row;
      threads += row.thread && row.latency.count() > 0;
    }
    add(fmt::format("Slowest: scope '{}' took up to {} on thread {}; of {}{} half took at most {}, 99 % at most {}.",
                    slowest->name, time(slowest->latency.max_ns(), *slowest), slowest->thread_name,
                    counted(all->latency.count(), "run"), threads > 1 ? " of all threads" : "",
                    time(all->latency.percentile_ns(50), *all), time(all->latency.percentile_ns(99), *all)));
    if (most != nullptr && most->self_ns > 0)
      add(fmt::format("Most time: scope '{}' on thread {}, {} of its own in {}.", most->name, most->thread_name,
                      time(most->self_ns), counted(most->latency.count(), "run")));
  }

  // A run that began late was slow for whoever waited, whatever it took itself.
  void slowest_response() {
    const ScopeRow* slowest = nullptr;
    for (const ScopeRow& row : report_.scopes)
      if (row.thread && row.response.count() > 0 &&
          (slowest == nullptr || row.response.max_ns() > slowest->response.max_ns()))
        slowest = &row;
    if (slowest == nullptr) return;
    add(
        fmt::format("Slowest response: scope '{}' ended up to {} after its intended begin on thread {}, where its "
                    "service took up to {}; 99 % of {} within {}.",
                    slowest->name, time(slowest->response.max_ns()), slowest->thread_name,
                    time(slowest->latency.max_ns(), *slowest), counted(slowest->response.count(), "response"),
                    time(slowest->response.percentile_ns(99))));
  }

  void longest_gap() {
    const PulseRow* longest = nullptr;
    for (const PulseRow& row : report_.pulses)
      if (row.thread && row.gaps.count() > 0 && (longest == nullptr || row.gaps.max_ns() > longest->gaps.max_ns()))
        longest = &row;
    if (longest == nullptr) return;
    add(fmt::format("Longest gap: pulse '{}' stayed away for up to {} on thread {}; half of {} took at most {}.",
                    longest->name, time(longest->gaps.max_ns()), longest->thread_name,
                    counted(longest->gaps.count(), "gap"), time(longest->gaps.percentile_ns(50))));
  }

  // Rows of a cut dump are those whose counters were written in time.
  std::string only_some() const {
    const std::string coverage = report_.allocations.coverage();
    return coverage.empty() ? "" : ", as far as is known: " + coverage;
  }

  static std::string where(const PlaceLatency& place) {
    return "thread " + place.thread_label +
           (place.frees ? ", frees" : ", requests of " + size_class_words(place.size_class));
  }

  // "24.5 ms in 1,200 calls (38 % of all ...), 12.1 ms of the 24.5 ms in one call".
  std::string how_long(const PlaceLatency& place, const std::string& of_what = "") const {
    const Latency& latency = place.latency;
    std::string text = fmt::format("{} in {} ({}{})", time(latency.total_ns()), counted(latency.count(), "call"),
                                   share_words(latency.total_ns(), report_.allocations.total_ns), of_what);
    if (latency.count() > 1 && latency.max_ns() > kMuchInOneCall * latency.total_ns())
      text += fmt::format(", {} of the {} in one call", time(latency.max_ns()), time(latency.total_ns()));
    return text;
  }

  std::string spread(const PlaceLatency& place) const {
    if (place.latency.count() == 1) return {};
    return fmt::format("; half took at most {}, 99.9 % at most {}, the slowest {}",
                       time(place.latency.percentile_ns(50)), time(place.latency.percentile_ns(99.9)),
                       time(place.latency.max_ns()));
  }

  // The row with the most time but for its rarest slow calls (PlaceLatency::typical_ns).
  const PlaceLatency* typical(bool with_frees) const {
    const PlaceLatency* best = nullptr;
    for (const PlaceLatency& place : report_.allocations.places)
      if ((with_frees || !place.frees) && (best == nullptr || place.typical_ns > best->typical_ns)) best = &place;
    return best;
  }

  void allocator_time() {
    const Allocations& from = report_.allocations;
    const PlaceLatency &first = from.places.front(), &most = *typical(true);
    add(fmt::format("Most time in the allocator{}: {}: {}{}.", &most == &first ? "" : ", rare slow calls aside",
                    where(most), how_long(most, " of all " + time(from.total_ns) + " in the allocator" + only_some()),
                    spread(most)));
    if (&most != &first) add(fmt::format("With them: {}: {}.", where(first), how_long(first)));
    const PlaceLatency* requests = typical(false);
    if (most.frees && requests != nullptr && requests != &first)
      add(fmt::format("By size class most (a free does not tell its size): {}: {}{}.", where(*requests),
                      how_long(*requests), spread(*requests)));
    const auto slowest = std::max_element(from.places.begin(), from.places.end(), [](const auto& a, const auto& b) {
      return a.latency.max_ns() < b.latency.max_ns();
    });
    if (&*slowest != &most)
      add(fmt::format("Slowest single call: {}, {}.", time(slowest->latency.max_ns()), where(*slowest)));
  }

  void most_allocations() {
    const ThreadRow* most = nullptr;
    for (const ThreadRow& row : report_.threads)
      if (row.allocations && (most == nullptr || *row.allocations > *most->allocations)) most = &row;
    if (most == nullptr || *most->allocations == 0) return;
    const std::string name = most->name && !most->name->empty() ? *most->name + " " : "";
    add(fmt::format(
        "Most allocations: thread {}#{}, {} ({} of all {}{}), {} asked for.", name, most->serial,
        counted(*most->allocations, "call"),
        share_words(static_cast<double>(*most->allocations), static_cast<double>(report_.allocations.blocks())),
        count_words(report_.allocations.blocks()), only_some(), byte_words(most->bytes.value_or(0))));
  }

  const Report& report_;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> headline_of(const Report& report, const Commands& commands) {
  std::vector<std::string> out = Headline(report).lines();
  for (std::string& line : next_steps(report, commands)) out.push_back(std::move(line));
  return out;
}

}  // namespace tl::analyze
