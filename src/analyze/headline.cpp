// The first lines of a report: what is slowest, where, and what to type next.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/summary.h"
#include "analyze/words.h"

namespace tl::analyze {

namespace {

std::string call_count(std::uint64_t n, const char* what) {
  return fmt::format("{} {}{}", count_words(n), what, n == 1 ? "" : "s");
}

void slowest_scope(const Report& report, std::vector<std::string>& out) {
  const ScopeRow* slowest = nullptr;
  for (const ScopeRow& row : report.scopes)
    if (row.thread && row.latency.count() > 0 &&
        (slowest == nullptr || row.latency.max_ns() > slowest->latency.max_ns()))
      slowest = &row;
  if (slowest == nullptr) return;
  // Of several threads only one has it; all threads together say whether it is the rule.
  const auto all = std::find_if(report.scopes.begin(), report.scopes.end(),
                                [&](const ScopeRow& row) { return !row.thread && row.name == slowest->name; });
  const Latency& latency = (all == report.scopes.end() ? *slowest : *all).latency;
  out.push_back(fmt::format(
      "Slowest: scope '{}' took up to {} on thread {}; of {} half took at most {}, 99 % at most {}.", slowest->name,
      time_words(slowest->latency.max_ns()), slowest->thread_name, call_count(latency.count(), "run"),
      time_words(latency.percentile_ns(50)), time_words(latency.percentile_ns(99))));
  const ScopeRow* most = nullptr;
  for (const ScopeRow& row : report.scopes)
    if (row.thread && (most == nullptr || row.self_ns > most->self_ns)) most = &row;
  if (most != nullptr && most->self_ns > 0)
    out.push_back(fmt::format("Most time: scope '{}' on thread {}, {} of its own in {}.", most->name, most->thread_name,
                              time_words(most->self_ns), call_count(most->latency.count(), "run")));
}

std::string place_words(const PlaceLatency& place) {
  return place.frees ? "frees" : std::string("requests of ") + size_class_words(place.size_class);
}

void allocator_time(const Report& report, std::vector<std::string>& out) {
  const Allocations& allocations = report.allocations;
  const PlaceLatency& most = allocations.places.front();
  out.push_back(
      fmt::format("Most time in the allocator: thread {}, {}: {} in {} ({} of all {} in the allocator); half took at "
                  "most {}, 99.9 % at most {}, the slowest {}.",
                  most.thread_label, place_words(most), time_words(most.latency.total_ns()),
                  call_count(most.latency.count(), "call"), share_words(most.latency.total_ns(), allocations.total_ns),
                  time_words(allocations.total_ns), time_words(most.latency.percentile_ns(50)),
                  time_words(most.latency.percentile_ns(99.9)), time_words(most.latency.max_ns())));
  const auto requests = std::find_if(allocations.places.begin(), allocations.places.end(),
                                     [](const PlaceLatency& place) { return !place.frees; });
  if (most.frees && requests != allocations.places.end())
    out.push_back(fmt::format(
        "By size class most (a free does not tell its size): thread {}, requests of {}: {} in {} ({}); half took at "
        "most "
        "{}, 99.9 % at most {}, the slowest {}.",
        requests->thread_label, size_class_words(requests->size_class), time_words(requests->latency.total_ns()),
        call_count(requests->latency.count(), "call"), share_words(requests->latency.total_ns(), allocations.total_ns),
        time_words(requests->latency.percentile_ns(50)), time_words(requests->latency.percentile_ns(99.9)),
        time_words(requests->latency.max_ns())));
  const auto slowest =
      std::max_element(allocations.places.begin(), allocations.places.end(),
                       [](const auto& a, const auto& b) { return a.latency.max_ns() < b.latency.max_ns(); });
  if (slowest != allocations.places.begin())
    out.push_back(fmt::format("Slowest single call: {}, thread {}, {}.", time_words(slowest->latency.max_ns()),
                              slowest->thread_label, place_words(*slowest)));
}

void most_allocations(const Report& report, std::vector<std::string>& out) {
  const ThreadRow* most = nullptr;
  for (const ThreadRow& row : report.threads)
    if (row.allocations && (most == nullptr || *row.allocations > *most->allocations)) most = &row;
  if (most == nullptr || *most->allocations == 0) return;
  out.push_back(fmt::format(
      "Most allocations: thread {} #{}, {} ({} of all {}), {} asked for.", most->name.value_or(""), most->serial,
      call_count(*most->allocations, "call"),
      share_words(static_cast<double>(*most->allocations), static_cast<double>(report.allocations.blocks())),
      count_words(report.allocations.blocks()), byte_words(most->bytes.value_or(0))));
}

}  // namespace

std::vector<std::string> headline_of(const Report& report) {
  std::vector<std::string> out;
  const bool ran = std::any_of(report.scopes.begin(), report.scopes.end(),
                               [](const ScopeRow& row) { return row.latency.count() > 0; });
  const bool timed = !report.allocations.places.empty();
  slowest_scope(report, out);
  if (timed)
    allocator_time(report, out);
  else
    most_allocations(report, out);
  if (out.empty())
    out.push_back(report.narrowed ? "Nothing that was asked for ran: see the notes below."
                                  : "Nothing was slow: the dump holds no finished scope and no allocation call.");

  std::string program = "PROGRAM ARGS...";
  if (report.process && !report.process->command.empty()) {
    program.clear();
    for (const std::string& word : report.process->command) {
      if (!program.empty()) program += ' ';
      program += shell_quoted(word);
    }
    if (program.size() > 100) program = shell_quoted(report.process->command.front()) + " ...";
  }
  if (ran) {
    const ScopeRow& top = report.scopes.front();
    out.push_back(fmt::format("Next: tlreport summary --scope {} --percentiles 50,90,99,99.9,99.99 {}",
                              shell_quoted(top.name), shell_quoted(report.file.path)));
  } else if (!timed && report.allocations.counted && report.allocations.observable) {
    out.push_back(std::string("Next: tlrun --alloc time -- ") + program + "   for the time inside each call");
  } else if (timed) {
    out.push_back(fmt::format("Next: tlreport summary --thread '#{}' {}", report.allocations.places.front().thread,
                              shell_quoted(report.file.path)));
  }
  if (!ran && !report.narrowed)
    out.push_back(
        "No scopes ran: mark what to measure with TL_SCOPE(\"name\") or tl_scope_begin/tl_scope_end "
        "(telemetry.hpp, telemetry.h), then run again.");
  return out;
}

}  // namespace tl::analyze
