// What a report says, as numbers and words: made from a dump by summarize(), shown by render/. Times are nanoseconds.
// What was not measured is an empty optional; a zero is a measured zero. Where a dump does not tell how long a tick is
// (ClockFacts::rate_known), every time is in ticks instead, and nothing may show it as nanoseconds.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/words.h"
#include "base/alloc_call.h"
#include "base/loss_cause.h"
#include "hist/histogram.h"

namespace tl::analyze {

// Pages for histograms; all of them go with the report.
class Arena {
 public:
  hist::Memory memory() { return {get, this}; }

 private:
  static void* get(void* context, std::size_t bytes);
  std::deque<std::unique_ptr<std::uint64_t[]>> chunks_;
  std::size_t used_ = 0, size_ = 0;  // words of the last chunk
};

// A histogram and what one of its units is: scopes are kept in tenths of a nanosecond (exact below 204.8 ns, then to 1
// part in 1,024), allocation calls in the ticks in which they were recorded.
struct Latency {
  hist::Histogram histogram;
  double ns_per_unit = 0.1;

  std::uint64_t count() const { return histogram.count(); }
  double total_ns() const { return static_cast<double>(histogram.sum()) * ns_per_unit; }
  double percentile_ns(double percent) const {
    return static_cast<double>(histogram.percentile(percent)) * ns_per_unit;
  }
  double min_ns() const { return static_cast<double>(histogram.min()) * ns_per_unit; }
  double max_ns() const { return static_cast<double>(histogram.max()) * ns_per_unit; }
  double mean_ns() const { return histogram.mean() * ns_per_unit; }
  double stddev_ns() const { return histogram.stddev() * ns_per_unit; }
};

// Signed numbers of the program's own, in its own unit: 1. Two histograms of magnitudes, so that both signs have three
// digits. As for times, a percentile is the highest value equivalent to the sample at the ceil-rank, clipped to the
// maximum; of a negative one the highest is that of least magnitude.
class SignedDistribution {
 public:
  SignedDistribution() = default;
  explicit SignedDistribution(hist::Memory memory) : negative_(memory), other_(memory) {}

  void record(std::int64_t value);
  void add(const SignedDistribution& more);
  std::uint64_t count() const { return negative_.count() + other_.count(); }
  // Of at least one sample.
  std::int64_t min() const;
  std::int64_t max() const;
  double mean() const;
  std::int64_t percentile(double percent) const;

 private:
  hist::Histogram negative_, other_;
};

// Stamp modes of a scope's begin and end, by 3 x begin + end.
constexpr unsigned kPairs = 9;
constexpr std::array<const char*, kPairs> kPairNames = {"fast_fast", "fast_mid",  "fast_hard", "mid_fast", "mid_mid",
                                                        "mid_hard",  "hard_fast", "hard_mid",  "hard_hard"};
// Among the ways in which the samples of a row came about: spans, and scopes of modes that this version does not know.
constexpr unsigned kSpanWay = 9, kUnknownWay = 10;

// What the recorder itself costs, as the watched process measured it.
struct CostFacts {
  double min_ns = 0, p50_ns = 0, p90_ns = 0, p99_ns = 0, max_ns = 0;  // of what an empty one measures
  double whole_ns = 0;  // what one takes out of the program's time, median
  std::uint32_t samples = 0;
};
struct OwnCost {
  std::array<std::optional<CostFacts>, kPairs> pairs;
  std::optional<CostFacts> next, pulse;
  std::optional<double> step_ns;  // the clock moves by multiples of it
  bool any_pair() const;
};

// What was asked of the allocator inside the runs of a scope, scopes inside it included (of a recursive one: inside its
// outermost run). ns: inside all calls, frees too. `per_scope`: of each run, those without any included.
struct ScopeAllocations {
  std::uint64_t count = 0, self_count = 0, bytes = 0, scopes_with = 0;
  double ns = 0;
  hist::Histogram per_scope;
  // All but the histogram.
  void add(const ScopeAllocations& more);
};

struct ScopeRow {
  std::string name;
  std::optional<std::uint32_t> thread;  // none: all threads merged
  std::string thread_name;
  std::optional<double> rate_per_s;
  Latency latency;
  Latency response;  // from the intended begin, of those runs that had one
  std::uint64_t early = 0;
  double total_ns = 0, self_ns = 0;
  std::uint64_t mismatched = 0, unfinished = 0, discarded = 0;
  ScopeAllocations allocations;  // if they were counted at all: Allocations
  unsigned ways = 0;             // bit by pair, kSpanWay, kUnknownWay
  // Stamps that the program carried may overlap: what a queue's messages wait adds up to more than the process lived.
  bool may_overlap() const { return (ways >> kSpanWay & 1) != 0; }
  // A time below this is no time of the program: see floor_of().
  std::optional<double> floor_ns;
  bool below_floor(double ns) const { return floor_ns && ns < *floor_ns; }
};

struct ValueRow {
  std::string name;
  SignedDistribution values;
};

struct PulseRow {
  std::string name;
  std::optional<std::uint32_t> thread;  // none: all threads merged
  std::string thread_name;
  Latency gaps;  // from one pulse of a thread to its next
};

struct MarkRow {
  std::uint32_t thread = 0;
  std::string thread_name;
  double at_ns = 0;
  std::string text;
};

struct CallLatency {
  unsigned call = 0, size_class = 0;
  Latency latency;
};

// One thread and size class, all calls that may return a block; or one thread's frees.
struct PlaceLatency {
  std::uint32_t thread = 0;
  std::string thread_label;
  bool orphan = false;  // calls that threads made after their own end
  bool frees = false;
  unsigned size_class = 0;
  Latency latency;
  // Without the slowest calls, one in 10,000 and at least one, where there are 1,000 or more: what ranks rows in words.
  // A call that was preempted for a time slice outweighs a million others, and which row it hits is chance.
  double typical_ns = 0;
};

struct Allocations {
  bool counted = false, timed = false;
  bool observable = false;
  std::string why_not;
  std::array<std::uint64_t, kAllocCalls> calls{};
  std::uint64_t failed = 0, bytes_requested = 0;
  std::vector<CallLatency> latency;  // by call and size class, in that order
  std::vector<PlaceLatency> places;  // most total time first
  std::uint64_t timed_calls = 0;
  std::uint64_t threads_counted = 0, threads = 0;  // those whose counters are in the file, of all
  bool measured() const { return counted && observable && (threads_counted > 0 || threads == 0); }
  std::string coverage() const;  // "counters of only 2 of 5 threads are in the file"; empty: of all
  double total_ns = 0;
  std::uint64_t blocks() const;     // calls that may return a block
  std::uint64_t all_calls() const;  // and frees
};

struct ThreadRow {
  std::uint32_t serial = 0;
  std::optional<std::uint32_t> tid;
  std::optional<std::string> name;
  bool foreign = false;
  std::optional<double> start_ns, end_ns;
  std::uint64_t scopes = 0, lost = 0;
  std::optional<std::uint64_t> allocations, bytes;
  std::string pin_asked, pin_applied, pin_error;  // empty: none
};

struct LossSpan {
  std::uint32_t thread = 0;
  double from_ns = 0, to_ns = 0;
  std::uint64_t records = 0;
  std::string cause;
};

struct Losses {
  std::uint64_t records = 0;  // of all causes, and those that the file should hold and does not
  std::array<std::uint64_t, kLossCauses> by_cause{};
  std::uint64_t not_in_file = 0;
  std::vector<LossSpan> ranges;
  std::uint64_t ranges_left_out = 0;  // more than are kept
  bool at_least = false;              // what tells of more may be gone with a piece of the file
  bool of_older_parts = false;        // which are not among the files: too
  bool of_threads = false;            // only of those that a filter left
  bool beside_rows = false;           // the rows of the report hold the rest of what these threads recorded
  std::vector<std::string> advice;    // how to lose none: a line for each cause, which begins with its name
  std::string causes(bool lone_with_count = true) const;  // "ring_full 12,000, late 345"; a lone one as "ring_full"
};

struct FileFacts {
  std::string path;
  bool complete = false;
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;  // that could be read, whether the dump is whole or not
  struct Part {
    std::string path;
    std::uint32_t number = 0;
  };
  std::vector<Part> parts;  // of a rotated dump, those that were read
};

struct ProcessFacts {
  std::uint32_t pid = 0, parent_pid = 0;
  std::string program, host;
  std::vector<std::string> command;
  bool command_cut = false;  // then its last word is "..."
  std::uint64_t start_unix_ns = 0;
  std::optional<double> duration_ns;
  std::string ended;               // exit, exec, signal, killed, running; empty: the end is not in the file
  bool goes_on_elsewhere = false;  // "running" says only that a later part of the dump follows
  int signal_number = 0;
};

struct ClockFacts {
  std::string source;  // tsc, clock_gettime; empty: the dump does not say
  bool rate_known = true;
  std::optional<double> ticks_per_ns, error_ppm;
  TimeUnit unit() const { return rate_known ? TimeUnit::ns : TimeUnit::ticks; }
  std::uint64_t anomalies = 0;
  double worst_anomaly_ns = 0;  // negative; 0: none
};

struct Warning {
  std::string code, text;
};

struct Report {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  bool narrowed = false;         // a filter left something out
  bool nothing_matches = false;  // or all: then the headline says so and the rest is empty
  std::vector<std::string> headline;
  std::vector<std::string> partial;         // why the report is not of a whole dump, one line each
  std::vector<std::string> not_observable;  // one line each
  std::vector<std::string> notes;
  FileFacts file;
  std::optional<ProcessFacts> process;
  ClockFacts clock;
  bool corrected = false;         // own cost was taken off the scopes' times
  std::string why_not_corrected;  // where that was asked for and cannot be done; then the report is as measured
  OwnCost cost;
  unsigned ways = 0;  // of all scopes in the dump
  Losses losses;
  std::vector<ScopeRow> scopes;
  std::vector<ValueRow> values;
  std::vector<PulseRow> pulses;
  std::vector<MarkRow> marks;  // in the order of time
  Allocations allocations;
  std::vector<ThreadRow> threads;
  std::vector<Warning> warnings;
};

// What to report on; an empty function takes all.
struct Filter {
  std::function<bool(const std::string&)> scope, thread;
  std::string scope_text, thread_text;  // as they were asked for
};

// The tools, as a reader of the report can type them.
struct Commands {
  std::string tlreport = "tlreport", tlrun = "tlrun";
};

}  // namespace tl::analyze
