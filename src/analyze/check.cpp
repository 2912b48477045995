#include "analyze/check.h"

#include <map>
#include <tuple>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

// As in the dump's documentation; the number is the place.
constexpr const char* kBlockNames[] = {"",        "process", "anchor",   "names",   "thread",
                                       "records", "events",  "counters", "latency", "open_scopes",
                                       "warning", "end",     "cost",     "part",    "run"};
constexpr unsigned kRecordsBlock = 5, kEventsBlock = 6;

// Collects the first contradiction of a rule and counts the others.
class RuleCheck {
 public:
  explicit RuleCheck(std::string text) { rule_.text = std::move(text); }
  void expect(bool holds, const std::string& detail) {
    if (holds) return;
    rule_.holds = false;
    if (failures_++ == 0) rule_.detail = detail;
  }
  // The rule compares with the counters of threads, and those of some may not be in the file.
  void only_counted(const read::Dump& dump) {
    std::uint64_t threads = 0, counted = 0;
    for (const auto& [serial, thread] : dump.facts().threads) {
      if (is_orphan(thread)) continue;
      ++threads;
      counted += thread.counters.has_value();
    }
    if (counted == threads || failures_ > 0) return;
    rule_.detail = "looked at for " + count_words(counted) + " of " + tl::analyze::counted(threads, "thread") +
                   ": the file has no counters of the others";
    if (counted == 0) rule_.holds = std::nullopt;
  }
  void not_comparable(const std::string& why) {
    rule_.holds = std::nullopt;
    rule_.detail = why;
  }
  Rule result() {
    if (failures_ > 1) rule_.detail += std::string(" (and ") + std::to_string(failures_ - 1) + " more)";
    return rule_;
  }

 private:
  Rule rule_;
  std::size_t failures_ = 0;
};

std::string not_equal(const std::string& where, std::uint64_t a, const char* relation, std::uint64_t b) {
  return where + ": " + std::to_string(a) + " " + relation + " " + std::to_string(b);
}

Rule records_add_up(const read::Dump& dump) {
  RuleCheck rule("records by thread: those in the file and those that a full disk dropped are those that were written");
  const bool running = dump.liveness() == read::Liveness::running;
  for (const auto& [serial, thread] : dump.facts().threads) {
    const std::string where = std::string("thread #") + std::to_string(serial);
    const std::uint64_t missing = thread.unexplained(running);
    rule.expect(missing == 0, where + ": " + std::to_string(missing) + " missing in its sequence");
    if (!thread.counters) continue;
    const std::uint64_t made = thread.counters->records_made;
    const std::uint64_t told = thread.records + thread.dropped + thread.elsewhere;
    rule.expect(running ? made >= thread.next_sequence : made == told,
                not_equal(where, told, "in the file, dropped or in other parts, written", made));
  }
  rule.only_counted(dump);
  return rule.result();
}

Rule scopes_add_up(const read::Dump& dump) {
  RuleCheck rule("finished scopes and spans by thread: those in the file, and at most the lost ones beside them");
  for (const auto& [serial, thread] : dump.facts().threads) {
    if (!thread.counters || dump.liveness() == read::Liveness::running) continue;
    const std::uint64_t finished = thread.counters->scopes_finished, gone = thread.scopes_gone(false);
    rule.expect(finished >= thread.scopes && gone == 0, not_equal(std::string("thread #") + std::to_string(serial),
                                                                  thread.scopes, "in the file, finished", finished) +
                                                            ", lost but not told of " + std::to_string(gone));
  }
  if (dump.liveness() == read::Liveness::running)
    rule.not_comparable("the process is still running");
  else
    rule.only_counted(dump);
  return rule.result();
}

Rule calls_add_up(read::Dump& dump) {
  RuleCheck rule("allocation calls: none timed that was not counted, by thread, call and size class");
  std::map<std::tuple<std::uint32_t, unsigned, unsigned>, std::uint64_t> timed;
  dump.for_each_latency([&](const read::LatencyPart& part) {
    timed[{part.thread, part.call, part.size_class}] += part.samples;
  });
  std::map<std::tuple<std::uint32_t, unsigned, unsigned>, std::uint64_t> counted;
  for (const auto& [serial, thread] : dump.facts().threads)
    if (thread.counters)
      for (const read::CallCount& row : thread.counters->calls)
        counted[{serial, row.call, row.size_class}] += row.calls;
  for (const auto& [key, samples] : timed) {
    const auto& [serial, call, size_class] = key;
    if (!dump.facts().threads.at(serial).counters) continue;
    const std::uint64_t calls = counted[key];
    // A running process goes on counting while it is looked at.
    rule.expect(samples <= calls || dump.liveness() == read::Liveness::running,
                not_equal(std::string("thread #") + std::to_string(serial) + ", " + kAllocCallNames[call], samples,
                          "timed, counted", calls));
  }
  rule.only_counted(dump);
  return rule.result();
}

Rule end_agrees(const read::Dump& dump) {
  RuleCheck rule("the end block's count of records is what the file holds");
  bool any = false;
  for (const read::FilePart& file : dump.facts().files) {
    const auto& end = &file == &dump.facts().files.back() ? dump.facts().end : file.end;
    if (!end) continue;
    any = true;
    rule.expect(end->records_written == file.records,
                not_equal("end block", file.records, "in the file, written", end->records_written));
  }
  if (!any) rule.not_comparable("there is no end block");
  return rule.result();
}

}  // namespace

Check check(read::Dump& dump) {
  const read::Facts& facts = dump.facts();
  const Losses losses = count_losses(dump, {});
  Check out;
  out.file = file_facts(dump);
  if (facts.process) out.program = facts.process->program;
  out.version = facts.version;
  std::uint64_t record_bytes = 0;
  for (const auto& [type, totals] : facts.blocks) {
    const bool known = type >= 1 && type < std::size(kBlockNames);
    out.blocks.push_back({type, known ? kBlockNames[type] : "unknown", totals.blocks, totals.bytes, totals.records});
    if (type == kRecordsBlock || type == kEventsBlock) record_bytes += totals.bytes;
  }
  out.records = facts.records;
  out.duplicates = facts.duplicates;
  for (const auto& [serial, thread] : facts.threads) {
    out.scopes += thread.scopes;
    if (!thread.info || !thread.info->orphan) ++out.threads;
  }
  for (const auto& name : facts.names) out.names += name.has_value();
  out.anchors = facts.anchors;
  if (facts.records > 0) out.bytes_per_record = static_cast<double>(record_bytes) / static_cast<double>(facts.records);

  out.rules = {records_add_up(dump), scopes_add_up(dump), calls_add_up(dump), end_agrees(dump)};
  out.missing = partial_reasons(dump, losses);
  if (!dump.clock().complaint().empty()) out.missing.push_back(dump.clock().complaint());
  std::uint64_t nameless = 0, uncounted = 0;
  for (const auto& name : facts.names) nameless += !name.has_value();
  for (const auto& [serial, thread] : facts.threads) uncounted += !thread.counters;
  if (nameless > 0) out.missing.push_back((nameless == 1 ? "the name of " : "names of ") + counted(nameless, "scope"));
  if (uncounted > 0) out.missing.push_back("counters of " + counted(uncounted, "thread"));
  for (const Rule& rule : out.rules)
    if (rule.holds == false)
      out.missing.push_back(std::string("a rule does not hold: ") + rule.text + ": " + rule.detail);
  out.whole = out.missing.empty();
  out.file.complete = out.whole;
  return out;
}

}  // namespace tl::analyze
