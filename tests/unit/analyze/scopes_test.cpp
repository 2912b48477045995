// Scope rows against a program that is simulated here with an open stack, forwards, as the recorder would do it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "report_of.h"

namespace tl::analyze {
namespace {

using test::DumpBuilder;
using test::Scope;

struct Expected {
  std::vector<std::uint64_t> durations;
  std::uint64_t total = 0, self = 0;
};

// Begins and ends scopes at random on one thread; returns its records in the order of their ends.
std::vector<Scope> simulate(unsigned seed, std::size_t steps, std::map<std::uint16_t, Expected>& expected) {
  struct Open {
    std::uint64_t begin;
    std::uint16_t id;
    std::uint64_t children;
  };
  std::mt19937 random(seed);
  std::vector<Open> stack;
  std::vector<Scope> records;
  std::uint64_t now = 1000;
  for (std::size_t step = 0; step < steps || !stack.empty(); ++step) {
    now += random() % 4 == 0 ? 0 : random() % 500;  // equal stamps too
    const bool begin = step < steps && (stack.empty() || (stack.size() < 30 && random() % 2 == 0));
    if (begin) {
      stack.push_back({now, static_cast<std::uint16_t>(1 + random() % 5), 0});
      continue;
    }
    const Open open = stack.back();
    stack.pop_back();
    const std::uint64_t duration = now - open.begin;
    Expected& e = expected[open.id];
    e.durations.push_back(duration);
    e.self += duration - open.children;
    if (std::none_of(stack.begin(), stack.end(), [&](const Open& o) { return o.id == open.id; })) e.total += duration;
    if (!stack.empty()) stack.back().children += duration;
    records.push_back({now, duration, open.id});
  }
  return records;
}

TEST(Scopes, CountsTotalsAndSelfTimesAreThoseOfTheSimulatedProgram) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::map<std::uint16_t, Expected> expected;
    const std::vector<Scope> records = simulate(seed, 5000, expected);
    DumpBuilder dump;
    dump.process()
        .anchor(0, 0)
        .names({"a", "b", "c", "d", "e"})
        .scopes(0, 0, records)
        .anchor(records.back().end, records.back().end);
    dump.end(records.back().end, records.size());
    const Report report = report_of(dump);
    for (auto& [id, e] : expected) {
      const ScopeRow* row = find(report, std::string(1, static_cast<char>('a' + id - 1)));
      ASSERT_NE(row, nullptr);
      std::sort(e.durations.begin(), e.durations.end());
      EXPECT_EQ(row->latency.count(), e.durations.size());
      EXPECT_EQ(row->latency.min_ns(), static_cast<double>(e.durations.front()));
      EXPECT_DOUBLE_EQ(row->latency.max_ns(), static_cast<double>(e.durations.back()));
      EXPECT_NEAR(row->total_ns, static_cast<double>(e.total), 1e-3);
      EXPECT_NEAR(row->self_ns, static_cast<double>(e.self), 1e-3);
      const double median = static_cast<double>(e.durations[(e.durations.size() + 1) / 2 - 1]);
      EXPECT_GE(row->latency.percentile_ns(50), median - 1e-9);
      EXPECT_LE(row->latency.percentile_ns(50), median * (1 + 1.0 / 1024) + 1e-9);
    }
  }
}

TEST(Scopes, ThreadsAreApartAndTogether) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"work", "never"});
  dump.thread(0, "main", 0, 0, dump::kThreadMain).thread(7, "worker");
  dump.scopes(0, 0, {{100, 10, 1}, {200, 20, 1}}).scopes(7, 0, {{150, 100, 1}});
  dump.anchor(1000000000, 1000000000).end(2000000000, 3);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "work")->latency.count(), 3u);
  EXPECT_EQ(find(report, "work", 0)->latency.count(), 2u);
  EXPECT_EQ(find(report, "work", 7)->latency.max_ns(), 100);
  EXPECT_EQ(find(report, "work")->total_ns, 130);
  EXPECT_DOUBLE_EQ(*find(report, "work")->rate_per_s, 1.5);  // 3 in 2 s
  ASSERT_NE(find(report, "never"), nullptr);
  EXPECT_EQ(find(report, "never")->latency.count(), 0u);
  EXPECT_EQ(report.threads.size(), 2u);

  Filter filter;
  filter.thread = [](const std::string& name) { return name == "worker"; };
  const Report narrowed = report_of(dump, filter);
  EXPECT_EQ(find(narrowed, "work")->latency.count(), 1u);
  EXPECT_EQ(narrowed.threads.size(), 1u);
  filter.thread = nullptr;
  filter.scope = [](const std::string& name) { return name == "never"; };
  EXPECT_EQ(report_of(dump, filter).scopes.size(), 1u);
}

TEST(Scopes, MismatchedUnfinishedAndAbandonedAreCountedByName) {
  using dump::record_word;
  using dump::RecordKind;
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a", "b"});
  dump.scopes(0, 0, {{100, 10, 1}});
  dump.events(0, 1,
              {{110, record_word(2, RecordKind::mismatch, 0)},
               {111, record_word(2, RecordKind::mismatch, 1)},
               {50, record_word(1, RecordKind::abandoned, 0)}});
  dump.open_scopes(0, {{60, 1}, {70, 1}, {80, 2}}).end(200, 4);
  const Report report = report_of(dump);
  EXPECT_EQ(find(report, "a")->unfinished, 3u);
  EXPECT_EQ(find(report, "b")->unfinished, 1u);
  EXPECT_EQ(find(report, "b")->mismatched, 2u);
  EXPECT_EQ(find(report, "b", 0)->mismatched, 2u);
}

TEST(Scopes, OpenOnesAreForgottenWhenTheThreadWentOn) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).open_scopes(0, {{60, 1}}).end(100, 0, dump::EndReason::exec);
  dump.scopes(0, 0, {{200, 140, 1}}).end(300, 1);
  EXPECT_EQ(find(report_of(dump), "a")->unfinished, 0u);
}

TEST(Scopes, TicksBecomeNanosecondsByTheAnchors) {
  DumpBuilder dump;  // 2.5 ticks a ns
  dump.process(dump::ClockSource::tsc).names({"a"}).anchor(1000000, 5000);
  dump.scopes(0, 0, {{1500000, 25, 1}, {1600000, 25000, 1}}).anchor(1000000 + 2500000000, 5000 + 1000000000);
  dump.end(1000000 + 2500000000, 2);
  const Report report = report_of(dump);
  EXPECT_DOUBLE_EQ(find(report, "a")->latency.min_ns(), 10);
  EXPECT_DOUBLE_EQ(find(report, "a")->latency.max_ns(), 10000);
  EXPECT_NEAR(*report.clock.ticks_per_ns, 2.5, 1e-12);
  EXPECT_NEAR(*report.clock.error_ppm, 40 / 2.5e9 * 1e6, 1e-9);
  EXPECT_NEAR(*report.process->duration_ns, 1e9, 1);
}

TEST(Losses, CountersAndEpisodesAreOneNumber) {
  using dump::record_word;
  using dump::RecordKind;
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).thread(3, "burst");
  dump.scopes(3, 0, {{100, 10, 1}});
  dump.events(3, 1, {{200, record_word(0, RecordKind::loss_from, 40)}, {300, record_word(0, RecordKind::loss_to, 0)}});
  dump.events(3, dump::kOutsideTheRing,
              {{400, record_word(0, RecordKind::loss_from, 2)}, {400, record_word(0, RecordKind::loss_to, 0)}});
  dump.counters(3, 1, 3, 43, {42, 0, 5, 0, 0, 0, 0}, 0, 0, {}).end(900, 3);
  const Report report = report_of(dump);
  EXPECT_EQ(report.losses.records, 47u);
  EXPECT_EQ(report.losses.by_cause[0], 42u);
  EXPECT_EQ(report.losses.by_cause[2], 5u);
  ASSERT_EQ(report.losses.ranges.size(), 2u);
  EXPECT_EQ(report.losses.ranges[0].to_ns, 300);
  EXPECT_EQ(report.losses.ranges[0].cause, "ring_full");
  ASSERT_EQ(report.threads.size(), 1u);
  EXPECT_EQ(report.threads[0].lost, 47u);
  EXPECT_EQ(report.threads[0].scopes, 1u);
  EXPECT_THAT(report.partial,
              ::testing::ElementsAre(::testing::HasSubstr("47 records were lost (ring_full 42, too_deep 5)")));
}

TEST(Losses, AnEpisodeThatIsWrittenAgainIsOneAndTheLonger) {
  using dump::RecordKind;
  using test::event;
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).thread(3, "burst").thread(4, "other");
  dump.events(3, 0, {event(200, 0, RecordKind::loss_from, 40), event(300, 0, RecordKind::loss_to, 0)});
  dump.events(4, 0, {event(200, 0, RecordKind::loss_from, 7), event(210, 0, RecordKind::loss_to, 1)});
  dump.events(3, 2, {event(500, 0, RecordKind::loss_from, 1), event(510, 0, RecordKind::loss_to, 0)});
  dump.events(3, 4, {event(200, 0, RecordKind::loss_from, 60), event(400, 0, RecordKind::loss_to, 0)}).end(900, 8);
  const Report report = report_of(dump);
  ASSERT_EQ(report.losses.ranges.size(), 3u);
  EXPECT_EQ(report.losses.ranges[0].records, 60u);
  EXPECT_EQ(report.losses.ranges[0].to_ns, 400);
  EXPECT_EQ(report.losses.ranges[1].records, 7u);
  EXPECT_EQ(report.losses.ranges[1].cause, "no_ring");
  EXPECT_EQ(report.losses.records, 68u);
}

}  // namespace
}  // namespace tl::analyze
