#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../dump/dump_builder.h"
#include "analyze/summary.h"

namespace tl::analyze {
namespace {

using test::DumpBuilder;
using ::testing::HasSubstr;

Report report_of(const DumpBuilder& dump) {
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  return summarize(opened, {});
}

constexpr unsigned kMalloc = 0, kCalloc = 1, kFree = 9;

DumpBuilder timed_dump() {
  DumpBuilder dump;
  dump.process().anchor(0, 0).thread(0, "main", 0, 0, dump::kThreadMain).thread(1, "io");
  dump.thread(9, "", 0, 0, dump::kThreadOrphan);
  // An older snapshot, with counts and times that must not count.
  dump.counters(0, 1, 0, 0, {}, 0, 100, {{kMalloc, 7, 50}}).latency(0, 1, kMalloc, 7, 500, 10, 10, {{10, 50}});
  dump.counters(0, 2, 0, 0, {}, 1, 6400, {{kMalloc, 7, 100}, {kCalloc, 7, 1}, {kFree, 0, 90}});
  dump.latency(0, 2, kMalloc, 7, 1500, 10, 100, {{10, 50}, {20, 45}, {100, 1}}, 4);
  dump.latency(0, 2, kFree, 0, 450, 5, 5, {{5, 90}});
  dump.counters(1, 2, 0, 0, {}, 0, 1 << 20, {{kMalloc, 13, 10}});
  dump.latency(1, 2, kMalloc, 13, 1000000, 1000, 500000, {{1000, 9}});
  dump.latency(1, 2, kMalloc, 13, 500000, 500000, 500000, {{10000, 1}});
  dump.counters(9, 2, 0, 0, {}, 0, 0, {{kFree, 0, 3}});
  dump.end(5000000, 0);
  return dump;
}

TEST(Allocations, TheLastCountsOfEveryThreadAddUp) {
  const Report report = report_of(timed_dump());
  EXPECT_EQ(report.allocations.calls[kMalloc], 110u);
  EXPECT_EQ(report.allocations.calls[kCalloc], 1u);
  EXPECT_EQ(report.allocations.calls[kFree], 93u);
  EXPECT_EQ(report.allocations.failed, 1u);
  EXPECT_EQ(report.allocations.bytes_requested, 6400u + (1 << 20));
  EXPECT_EQ(report.threads.size(), 2u);  // what threads did after their end is no thread
  EXPECT_EQ(*report.threads[0].allocations, 101u);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("3 allocation calls made by threads after")));
}

TEST(Allocations, PartsOfOneHistogramAddUpAndOlderSnapshotsDoNot) {
  const Report report = report_of(timed_dump());
  ASSERT_EQ(report.allocations.latency.size(), 3u);
  const CallLatency& small = report.allocations.latency[0];
  EXPECT_EQ(small.latency.count(), 100u);
  EXPECT_EQ(small.latency.total_ns(), 1500);
  EXPECT_EQ(small.latency.percentile_ns(50), 10);
  EXPECT_EQ(small.latency.max_ns(), 100);
  EXPECT_EQ(small.latency.histogram.unbinned(), 4u);
  const CallLatency& large = report.allocations.latency[1];
  EXPECT_EQ(large.size_class, 13u);
  EXPECT_EQ(large.latency.count(), 10u);
  EXPECT_EQ(large.latency.total_ns(), 1500000);
}

TEST(Allocations, TheHeadlineNamesThreadAndSizeClassWithTheMostTime) {
  const Report report = report_of(timed_dump());
  ASSERT_FALSE(report.headline.empty());
  EXPECT_THAT(report.headline[0], HasSubstr("thread io #1"));
  EXPECT_THAT(report.headline[0], HasSubstr("requests of >2-4 KiB"));
  EXPECT_THAT(report.headline[0], HasSubstr("1.50 ms in 10 calls (100 %"));
  EXPECT_THAT(report.headline[0], HasSubstr("500 us of the 1.50 ms in one call"));
  EXPECT_THAT(report.headline[1], HasSubstr("Next: tlreport"));
  EXPECT_EQ(report.allocations.places.front().thread, 1u);
}

TEST(Allocations, WithoutTimesTheHeadlineSaysWhoAllocatedMostAndHowToGetTimes) {
  DumpBuilder dump;
  dump.process(dump::ClockSource::clock_gettime, 1).anchor(0, 0).thread(0, "main");
  dump.counters(0, 1, 0, 0, {}, 0, 640, {{kMalloc, 7, 10}}).end(100, 0);
  const Report report = report_of(dump);
  EXPECT_THAT(report.headline[0], HasSubstr("Most allocations: thread main #0, 10 calls"));
  EXPECT_THAT(report.headline[1], HasSubstr("tlrun --alloc time -- demo 'two words'"));
  EXPECT_THAT(report.headline[2], HasSubstr("No scopes ran"));
}

TEST(Allocations, OnePreemptedCallDoesNotDecideWhoIsNamedFirst) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).thread(0, "main").thread(1, "io");
  dump.counters(0, 1, 0, 0, {}, 0, 0, {{kMalloc, 7, 5000}}).counters(1, 1, 0, 0, {}, 0, 0, {{kMalloc, 7, 2001}});
  dump.latency(0, 1, kMalloc, 7, 5000000, 1000, 1000, {{1000, 5000}});
  // 2,000 calls of 100 ns, and one of 12 ms.
  dump.latency(1, 1, kMalloc, 7, 12200000, 100, 12000000, {{100, 2000}, {14843, 1}});
  dump.end(900000000, 0);
  const Report report = report_of(dump);
  EXPECT_THAT(report.headline[0], HasSubstr("rare slow calls aside: thread main #0, requests of 33-64 B: 5.00 ms"));
  EXPECT_THAT(report.headline[1], HasSubstr("With them: thread io #1"));
  EXPECT_THAT(report.headline[1], HasSubstr("12.0 ms of the 12.2 ms in one call"));
  // The table leaves nothing out.
  EXPECT_EQ(report.allocations.places[0].thread, 1u);
  EXPECT_EQ(report.allocations.places[0].latency.total_ns(), 12200000);
  EXPECT_EQ(report.allocations.total_ns, 17200000);
}

TEST(Allocations, ACutFileSaysOfHowManyThreadsItHasCounters) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).thread(0, "main").thread(1, "io").thread(2, "late");
  dump.counters(0, 1, 0, 0, {}, 0, 640, {{kMalloc, 7, 10}}).latency(0, 1, kMalloc, 7, 100, 10, 10, {{10, 10}});
  const Report report = report_of(dump);
  EXPECT_THAT(report.headline[0], HasSubstr("counters of only 1 of 3 threads are in the file"));
  EXPECT_THAT(report.headline[1], HasSubstr("tlreport check "));
  EXPECT_EQ(report.process->ended, "");
  EXPECT_THAT(report.partial, ::testing::ElementsAre(HasSubstr("not closed: the end is not in the file")));
}

TEST(Allocations, WhatWasNotCountedIsNotZero) {
  DumpBuilder dump;
  dump.process(dump::ClockSource::clock_gettime, 0).anchor(0, 0).thread(0, "main").counters(0, 1, 0, 0, {}, 0, 0, {});
  dump.end(100, 0);
  const Report report = report_of(dump);
  EXPECT_FALSE(report.allocations.counted);
  EXPECT_FALSE(report.threads[0].allocations.has_value());
  EXPECT_THAT(report.not_observable, ::testing::Contains(HasSubstr("TL_ALLOC=off")));
}

TEST(Merge, ScopesOfOneNameAndAllocationsBecomeOne) {
  DumpBuilder a, b;
  a.process().anchor(0, 0).names({"x", "y"}).scopes(0, 0, {{100, 10, 1}, {200, 30, 2}}).end(1000000000, 2);
  b.process().anchor(0, 0).names({"y", "x"}).scopes(0, 0, {{100, 50, 1}, {200, 70, 2}});
  b.thread(0, "main")
      .counters(0, 1, 2, 2, {}, 0, 0, {{kMalloc, 7, 4}})
      .latency(0, 1, kMalloc, 7, 40, 10, 10, {{10, 4}});
  b.end(1000000000, 2);
  const Report merged = merge({report_of(a), report_of(b), report_of(b)});
  ASSERT_EQ(merged.scopes.size(), 2u);
  EXPECT_EQ(merged.scopes[0].name, "x");
  EXPECT_EQ(merged.scopes[0].latency.count(), 3u);
  EXPECT_EQ(merged.scopes[0].latency.min_ns(), 10);
  EXPECT_EQ(merged.scopes[0].total_ns, 150);
  EXPECT_EQ(*merged.scopes[0].rate_per_s, 1);  // three runs in three seconds of three processes
  EXPECT_EQ(merged.allocations.calls[kMalloc], 8u);
  ASSERT_EQ(merged.allocations.latency.size(), 1u);
  EXPECT_EQ(merged.allocations.latency[0].latency.percentile_ns(50), 10);
  EXPECT_EQ(merged.allocations.total_ns, 80);
}

}  // namespace
}  // namespace tl::analyze
