// What stands beside plain scopes: all stamp modes, spans, responses, values, pulses, marks, pauses.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "report_of.h"

namespace tl::analyze {
namespace {

using dump::RecordKind;
using test::DumpBuilder;
using test::event;
using test::Scope;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

DumpBuilder begun(const std::vector<std::string>& names) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names(names).thread(0, "main").thread(1, "feed");
  return dump;
}

TEST(RecordKinds, ScopesOfAllModesAndSpansAreSamplesOfOneRow) {
  std::vector<Scope> records;
  for (unsigned begin = 0; begin < 3; ++begin)
    for (unsigned end = 0; end < 3; ++end)
      records.push_back({1000 + records.size() * 100, 10 + records.size(), 1,
                         dump::scope_kind(static_cast<dump::StampMode>(begin), static_cast<dump::StampMode>(end))});
  records.push_back({5000, 0, 1, RecordKind::span});
  records.push_back({5000, 400, 1, RecordKind::span});
  DumpBuilder dump = begun({"a"});
  dump.scopes(0, 0, records).counters(0, 1, 11, 11, {}, 0, 0, {}).end(9000, 11);
  const Report report = report_of(dump);
  const ScopeRow& row = *find(report, "a");
  EXPECT_EQ(row.latency.count(), 11u);
  EXPECT_EQ(row.latency.min_ns(), 0);
  EXPECT_EQ(row.latency.max_ns(), 400);
  EXPECT_EQ(row.total_ns, 9 * 10 + 36 + 400);
  EXPECT_EQ(row.self_ns, row.total_ns);
  EXPECT_EQ(row.ways, ((1u << kPairs) - 1) | (1u << kSpanWay));
  EXPECT_EQ(report.threads[0].scopes, 11u);
}

TEST(RecordKinds, SpansNeitherEncloseNorAreEnclosed) {
  DumpBuilder dump = begun({"outer", "span", "inner"});
  // inner 500..550 in outer 400..900; the span covers both once, and lies inside outer once.
  dump.scopes(
      0, 0,
      {{550, 50, 3}, {560, 30, 2, RecordKind::span}, {900, 500, 1}, {2000, 2000, 2, RecordKind::span}, {2100, 10, 1}});
  dump.end(9000, 5);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "outer")->total_ns, 510);
  EXPECT_EQ(find(report, "outer")->self_ns, 460);
  EXPECT_EQ(find(report, "span")->total_ns, 2030);
  EXPECT_EQ(find(report, "span")->self_ns, 2030);
}

// A hundred messages wait at once: that is nobody's time, and no reason to look there first.
TEST(RecordKinds, WaitingThatOverlapsIsNotTheMostTime) {
  DumpBuilder dump = begun({"work", "waiting"});
  std::vector<Scope> records;
  for (std::uint64_t i = 0; i < 100; ++i) records.push_back({5000 + i, 4000, 2, RecordKind::span});
  records.push_back({6000, 300, 1});
  dump.scopes(1, 0, records).end(9000, 101);
  const Report report = report_of(dump);
  EXPECT_THAT(report.headline, Contains(HasSubstr("Slowest: scope 'waiting'")));
  EXPECT_THAT(report.headline, Contains(HasSubstr("Most time: scope 'work'")));
  EXPECT_THAT(report.headline, Contains(HasSubstr("--scope work ")));
}

TEST(RecordKinds, RecordsBetweenScopesOfOneIdDoNotMisleadThem) {
  DumpBuilder dump = begun({"a", "b"});
  dump.scopes(0, 0,
              {{100, 10, 2},
               {200, 10, 1},
               {210, 5, 1, RecordKind::value},
               {220, 7, 2, RecordKind::pulse},
               {300, 10, 2},
               {400, 10, 1, RecordKind::value},
               {500, 10, 1}});
  dump.end(9000, 7);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "a")->latency.count(), 2u);
  EXPECT_EQ(find(report, "b")->latency.count(), 2u);
}

TEST(RecordKinds, ResponsesAreOfTheScopeAfterThem) {
  DumpBuilder dump = begun({"order", "plain"});
  const RecordKind response = RecordKind::response, early = RecordKind::early_response;
  std::vector<Scope> records;
  for (std::uint64_t i = 0; i < 200; ++i) {  // across blocks of 256
    records.push_back({1000 + i * 100, 500 + i, 1, i % 4 == 0 ? early : response});
    records.push_back({1000 + i * 100, 20, 1});
  }
  records.push_back({90000, 7777, 1, response});  // of another scope than its own
  records.push_back({90000, 10, 2});
  records.push_back({90100, 10, 1});              // without an intended begin
  records.push_back({90200, 8888, 1, response});  // nothing after it
  dump.scopes(1, 0, records).scopes(0, 0, {{1000, 30, 1}});
  dump.events(0, 1, test::wide(500, std::uint64_t{1} << 42, 1, response));
  dump.events(0, 3, test::wide(std::uint64_t{1} << 41, std::uint64_t{1} << 42, 1, RecordKind::scope));
  dump.end(std::uint64_t{1} << 43, records.size() + 5);
  const Report report = report_of(dump);
  const ScopeRow& feed = *find(report, "order", 1);
  EXPECT_EQ(feed.latency.count(), 201u);
  EXPECT_EQ(feed.response.count(), 200u);
  EXPECT_EQ(feed.early, 50u);
  EXPECT_EQ(feed.response.min_ns(), 500);
  EXPECT_EQ(feed.response.max_ns(), 699);
  EXPECT_EQ(feed.response.mean_ns(), 599.5);
  EXPECT_EQ(find(report, "order", 0)->response.count(), 1u);
  EXPECT_EQ(find(report, "order")->response.count(), 201u);
  EXPECT_EQ(find(report, "order")->response.max_ns(), static_cast<double>((std::uint64_t{1} << 42) - 500));
  EXPECT_EQ(find(report, "plain")->response.count(), 0u);
  EXPECT_EQ(find(report, "plain")->early, 0u);
  EXPECT_THAT(report.headline, ::testing::Contains(HasSubstr("Slowest response: scope 'order' ended up to")));
}

TEST(RecordKinds, ScopesOpenAcrossAPauseAreDiscardedAndNotUnfinished) {
  DumpBuilder dump = begun({"a", "b"});
  dump.scopes(0, 0, {{100, 10, 1}});
  dump.events(
      0, 1,
      {event(50, 1, RecordKind::discarded), event(0, 1, RecordKind::discarded), event(0, 0, RecordKind::discarded)});
  dump.open_scopes(0, {{60, 1, dump::kOpenDiscarded}, {70, 1}, {80, 2, dump::kOpenDiscarded | dump::kOpenDisplaced}});
  dump.end(200, 4);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "a")->discarded, 3u);
  EXPECT_EQ(find(report, "a", 0)->discarded, 3u);
  EXPECT_EQ(find(report, "a")->unfinished, 1u);
  EXPECT_EQ(find(report, "b")->discarded, 1u);
  EXPECT_EQ(find(report, "b")->unfinished, 0u);
}

TEST(RecordKinds, ValuesAreOfAllThreadsAndWide) {
  DumpBuilder dump = begun({"markout", "never"});
  std::vector<Scope> records[2];
  std::vector<std::int64_t> all = {INT64_MIN, INT64_MAX};
  std::mt19937 random(4);
  for (std::uint64_t i = 0; i < 999; ++i) {
    const auto value = static_cast<std::int64_t>(random() % 20001) - 10000;
    all.push_back(value);
    records[i % 2].push_back({i, dump::zigzag(static_cast<std::uint64_t>(value)), 1, RecordKind::value});
  }
  dump.scopes(0, 0, records[0]).scopes(1, 0, records[1]);
  dump.events(1, records[1].size(), test::wide(static_cast<std::uint64_t>(INT64_MIN), 5, 1, RecordKind::value));
  dump.events(1, records[1].size() + 2, test::wide(static_cast<std::uint64_t>(INT64_MAX), 6, 1, RecordKind::value));
  dump.end(9000, 1003);
  const Report report = report_of(dump);
  ASSERT_EQ(report.values.size(), 1u);
  const SignedDistribution& values = report.values[0].values;
  std::sort(all.begin(), all.end());
  EXPECT_EQ(values.count(), 1001u);
  EXPECT_EQ(values.min(), INT64_MIN);
  EXPECT_EQ(values.max(), INT64_MAX);
  EXPECT_GE(values.percentile(50), all[500]);
  EXPECT_LE(values.percentile(50), all[500] + std::abs(all[500]) / 1024 + 1);
  EXPECT_EQ(find(report, "markout"), nullptr);  // no scope of that name
  EXPECT_EQ(find(report, "never")->latency.count(), 0u);

  Filter main, other;
  main.thread = [](const std::string& name) { return name == "main"; };
  other.scope = [](const std::string& name) { return name == "never"; };
  const Report narrowed = report_of(dump, main);
  EXPECT_EQ(narrowed.values.at(0).values.count(), 500u);
  EXPECT_TRUE(report_of(dump, other).values.empty());
  EXPECT_EQ(merge({report, report}).values.at(0).values.count(), 2002u);
}

TEST(RecordKinds, PulsesAreGapsByThread) {
  DumpBuilder dump = begun({"beat", "idle"});
  dump.scopes(0, 0, {{100, 10, 1, RecordKind::pulse}, {200, 100, 1, RecordKind::pulse}});
  dump.scopes(1, 0, {{150, 30, 1, RecordKind::pulse}, {160, ~std::uint64_t{0}, 1, RecordKind::pulse}});
  dump.end(9000, 4);
  const Report report = report_of(dump);
  EXPECT_EQ(report.pulses.size(), 3u);
  EXPECT_EQ(find(report.pulses, "beat")->gaps.count(), 3u);
  EXPECT_EQ(find(report.pulses, "beat")->gaps.max_ns(), 100);
  EXPECT_EQ(find(report.pulses, "beat", 0)->gaps.count(), 2u);
  EXPECT_EQ(find(report.pulses, "beat", 1)->gaps.max_ns(), 30);
  EXPECT_EQ(report.clock.anomalies, 1u);
  EXPECT_EQ(find(report, "beat"), nullptr);
  EXPECT_NE(find(report, "idle"), nullptr);
  EXPECT_THAT(report.headline, ::testing::Contains(HasSubstr("Longest gap: pulse 'beat' stayed away for up to")));
  EXPECT_EQ(report.threads[0].scopes, 0u);

  Filter main;
  main.thread = [](const std::string& name) { return name == "main"; };
  const Report narrowed = report_of(dump, main);
  EXPECT_EQ(find(narrowed.pulses, "beat")->gaps.count(), 2u);
  EXPECT_EQ(find(narrowed, "beat"), nullptr);
  EXPECT_EQ(find(merge({report, report}).pulses, "beat")->gaps.count(), 6u);
}

TEST(RecordKinds, ANameOfBothAScopeAndAValueIsBoth) {
  DumpBuilder dump = begun({"x"});
  dump.scopes(0, 0, {{100, 10, 1}, {110, 4, 1, RecordKind::value}}).end(900, 2);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "x")->latency.count(), 1u);
  EXPECT_EQ(report.values.at(0).values.max(), 2);
}

TEST(RecordKinds, MarksStandInTheOrderOfTime) {
  const std::string longest(255, 'x'), odd = "bad\xff \x1b[1m";
  DumpBuilder dump = begun({});
  std::uint64_t sequence = 0;
  const auto add = [&](std::uint32_t thread, std::uint64_t ticks, const std::string& text) {
    const std::vector<dump::RingRecord> records = test::mark(ticks, text);
    dump.events(thread, thread == 0 ? sequence : 0, records);
    if (thread == 0) sequence += records.size();
  };
  add(0, 500, "exactly 13 ch");
  add(0, 300, longest);
  add(1, 400, odd);
  add(0, 600, "");
  dump.end(900, 0);
  std::vector<std::string> texts;
  std::vector<double> times;
  const Report report = report_of(dump);
  for (const MarkRow& row : report.marks) {
    texts.push_back(row.text);
    times.push_back(row.at_ns);
  }
  EXPECT_THAT(texts, ElementsAre(longest, odd, "exactly 13 ch", ""));
  EXPECT_THAT(times, ElementsAre(300, 400, 500, 600));
  EXPECT_EQ(report.marks[1].thread, 1u);
  Filter main;
  main.thread = [](const std::string& name) { return name == "main"; };
  EXPECT_EQ(report_of(dump, main).marks.size(), 3u);
}

TEST(RecordKinds, OwnCostIsInNanosecondsAndTheLastBlockCounts) {
  DumpBuilder dump;  // 2.5 ticks a ns
  dump.process(dump::ClockSource::tsc).names({"a"}).anchor(1000000, 5000);
  dump.cost(100, {{0x00, 1, 1, 1, 1, 1, 1}});
  dump.cost(1, {{0x00, 20, 25, 26, 50, 900, 30},
                {0x0a, 100, 125, 130, 150, 900, 200},
                {dump::kCostPulse, 9, 10, 11, 12, 13, 20}});
  dump.anchor(1000000 + 2500000000, 5000 + 1000000000).end(1000000 + 2500000000, 0);
  const OwnCost cost = report_of(dump).cost;
  EXPECT_DOUBLE_EQ(cost.pairs[0]->p50_ns, 10);
  EXPECT_DOUBLE_EQ(cost.pairs[0]->p99_ns, 20);
  EXPECT_DOUBLE_EQ(cost.pairs[8]->whole_ns, 80);
  EXPECT_DOUBLE_EQ(cost.pulse->p50_ns, 4);
  EXPECT_DOUBLE_EQ(*cost.step_ns, 0.4);
  EXPECT_FALSE(cost.pairs[4] || cost.next);
}

}  // namespace
}  // namespace tl::analyze
