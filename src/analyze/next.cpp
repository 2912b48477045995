// What to type next. Each command shows something that this report does not, and can be pasted as it stands: the tools
// by the paths that reach them, every word quoted, what it is good for behind a #.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/summary.h"
#include "analyze/words.h"

namespace tl::analyze {

namespace {

constexpr std::uint64_t kManyRuns = 100000;  // so many have a 99.999th percentile of their own

// Empty where the dump does not hold it whole.
std::string program_of(const Report& report) {
  if (!report.process || report.process->command.empty() || report.process->command_cut) return {};
  std::string out;
  for (const std::string& word : report.process->command) out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

std::string files_of(const Report& report) {
  if (report.file.parts.size() < 2) return shell_quoted(report.file.path);
  std::string out;
  for (const FileFacts::Part& part : report.file.parts) out += (out.empty() ? "" : " ") + shell_quoted(part.path);
  return out;
}

// One whose times may overlap has no time of its own to compare: it comes last.
bool is_more(const ScopeRow& a, const ScopeRow& b) {
  return a.may_overlap() != b.may_overlap() ? b.may_overlap() : a.self_ns > b.self_ns;
}

const ScopeRow* most_self_time(const Report& report) {
  const ScopeRow* most = nullptr;
  for (const ScopeRow& row : report.scopes)
    if (!row.thread && row.latency.count() > 0 && (most == nullptr || is_more(row, *most))) most = &row;
  return most;
}

std::string next_command(const Report& report, const Commands& commands, bool ran) {
  const std::string file = files_of(report), program = program_of(report);
  const Allocations& allocations = report.allocations;
  const std::string narrower = commands.tlreport + (report.corrected ? " --corrected" : "");
  const bool timed = !allocations.places.empty();
  const std::string check = fmt::format("{} check {}", commands.tlreport, file);
  // How it ended is told; what a cut or damage took away is worth a look.
  const std::string ended = report.process ? report.process->ended : "";
  const bool only_ended = report.partial.size() == 1 && (ended == "killed" || ended == "signal" || ended == "running");
  if (!report.partial.empty() && !only_ended) return check + "   # what the file holds and what is missing";
  if (ran && !report.narrowed) {
    const ScopeRow& most = *most_self_time(report);
    const bool many = most.latency.count() >= kManyRuns;
    return fmt::format("{} --scope {} --percentiles {} {}   # {} of the scope with most time of its own", narrower,
                       shell_quoted(most.name), many ? "99.9,99.99,99.999" : "10,25,50,75,90,95", file,
                       many ? "the tail" : "the middle");
  }
  if (!timed && allocations.counted && allocations.observable && allocations.all_calls() > 0 && !program.empty())
    return fmt::format("{} --alloc time -- {}   # the time inside each call", commands.tlrun, program);
  const bool of_several = std::any_of(allocations.places.begin(), allocations.places.end(), [&](const auto& place) {
    return !place.orphan && place.thread != allocations.places.front().thread;
  });
  if (of_several && !report.narrowed && !allocations.places.front().orphan)
    return fmt::format("{} --thread '#{}' {}   # that thread's calls alone", narrower,
                       allocations.places.front().thread, file);
  return check + "   # what the file holds, and whether its numbers agree";
}

}  // namespace

std::vector<std::string> next_steps(const Report& report, const Commands& commands) {
  const bool ran = most_self_time(report) != nullptr;
  std::vector<std::string> out = {"Next: " + next_command(report, commands, ran)};
  if (!ran && !report.narrowed)
    out.push_back(
        "No scopes ran: mark what to measure with TL_SCOPE(\"name\") or tl_scope_begin/tl_scope_end "
        "(telemetry.hpp, telemetry.h), then run again.");
  return out;
}

}  // namespace tl::analyze
