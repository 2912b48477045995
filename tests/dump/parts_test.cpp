// Rotated dumps: parts read alone and together, absent and damaged ones; and records that a full disk dropped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "analyze/check.h"
#include "analyze/summary.h"
#include "good_dump.h"
#include "read/parts.h"
#include "render/summary.h"

namespace tl::test {
namespace {

using dump::EndReason;
using dump::RecordKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kEach = 300;  // records of a thread in a part

// Part `number` of five: two threads, of which the second is born in part 2.
DumpBuilder part(std::uint32_t number, EndReason reason = EndReason::continued) {
  const std::uint64_t begin = number * 1000000;
  DumpBuilder dump;
  dump.process().part(number, 3, begin).anchor(0, 1000).anchor(begin, begin + 1000).names({"a"});
  dump.thread(0, "main", 1, 0, dump::kThreadMain);
  std::vector<Scope> scopes;
  for (std::uint64_t i = 0; i < kEach; ++i) scopes.push_back({begin + 100 * i + 50, number, 1});
  dump.scopes(0, (number - 1) * kEach, scopes);
  if (number >= 2) dump.thread(1, "late", 2000020).scopes(1, (number - 2) * kEach, scopes);
  const std::uint64_t records = number >= 2 ? 2 * kEach : kEach;
  if (reason != EndReason::continued)
    dump.counters(0, 1, number * kEach, number * kEach, {}, 0, 0, {{0, 5, 10}})
        .counters(1, 1, (number - 1) * kEach, (number - 1) * kEach, {}, 0, 0, {});
  return dump.anchor(begin + 500000, begin + 501000).end(begin + 500000, records, reason);
}

struct Files {
  std::vector<std::unique_ptr<TemporaryFile>> kept;
  std::vector<std::string> paths;
  void add(const std::string& bytes) {
    kept.push_back(std::make_unique<TemporaryFile>(bytes));
    paths.push_back(kept.back()->path());
  }
  explicit Files(const std::vector<std::uint32_t>& numbers, std::uint32_t last = 0) {
    for (const std::uint32_t number : numbers)
      add(part(number, number == last ? EndReason::exit : EndReason::continued).bytes());
  }
};

struct Told {
  analyze::Report report;
  analyze::Check check;
};
Told read_together(const std::vector<std::string>& paths) {
  const auto groups = read::group_parts(paths);
  EXPECT_EQ(groups.size(), 1u);
  read::Dump dump;
  EXPECT_EQ(dump.open(groups.at(0)), "");
  Told out{analyze::summarize(dump, {}), analyze::check(dump)};
  EXPECT_FALSE(render::summary_text(out.report, {}, {80, false}).empty());
  return out;
}

void expect_rules_hold(const analyze::Check& check) {
  for (const analyze::Rule& rule : check.rules) EXPECT_NE(rule.holds, false) << rule.text << ": " << rule.detail;
}

TEST(Parts, AllOfThemInAnyOrderAreOneWholeDump) {
  const Files files({3, 1, 2}, 3);
  const Told told = read_together(files.paths);
  EXPECT_THAT(told.report.partial, IsEmpty());
  EXPECT_TRUE(told.report.file.complete);
  EXPECT_EQ(told.report.process->ended, "exit");
  EXPECT_EQ(told.report.file.records, 5 * kEach);
  EXPECT_EQ(told.report.scopes[0].latency.count(), 5 * kEach);
  EXPECT_EQ(told.report.scopes[0].total_ns, kEach * (1 + 2 * 2 + 2 * 3));
  EXPECT_EQ(told.report.losses.records, 0u);
  EXPECT_EQ(told.report.allocations.calls[0], 10u);
  ASSERT_EQ(told.report.file.parts.size(), 3u);
  EXPECT_EQ(told.report.file.parts[0].path, files.paths[1]);
  EXPECT_TRUE(told.check.whole) << ::testing::PrintToString(told.check.missing);
  expect_rules_hold(told.check);
}

TEST(Parts, ALonePartIsPartialAndLacksNothingOfItsOwn) {
  const Told first = read_together(Files({1}).paths);
  EXPECT_THAT(first.report.partial, ElementsAre("part 1 of a rotated dump, which goes on in the next part"));
  EXPECT_FALSE(first.report.file.complete);
  EXPECT_EQ(first.report.process->ended, "running");
  const Told second = read_together(Files({2}).paths);
  EXPECT_THAT(second.report.partial, ElementsAre(HasSubstr("part 1 is not among the files: the dump rotates through 3"),
                                                 "part 2 of a rotated dump, which goes on in the next part"));
  for (const Told* told : {&first, &second}) {
    EXPECT_EQ(told->report.losses.records, 0u);
    expect_rules_hold(told->check);
  }
}

TEST(Parts, OldestPartsThatWereOverwrittenAreSaid) {
  const Told told = read_together(Files({4, 5, 3}, 5).paths);
  EXPECT_THAT(told.report.partial, ElementsAre(HasSubstr("parts 1 and 2 are not among the files")));
  EXPECT_FALSE(told.report.file.complete);
  EXPECT_EQ(told.report.process->ended, "exit");
  EXPECT_EQ(told.report.losses.records, 0u);
  EXPECT_EQ(told.report.scopes[0].latency.count(), 6 * kEach);
  expect_rules_hold(told.check);
}

TEST(Parts, APartThatIsAbsentBetweenOthersIsAGap) {
  const Told told = read_together(Files({1, 2, 4}, 4).paths);
  EXPECT_THAT(told.report.partial, ElementsAre("part 3 is not among the files: records are missing in between"));
  EXPECT_EQ(told.report.losses.records, 0u);
  expect_rules_hold(told.check);
}

TEST(Parts, AThreadBornInALaterPartMissesWhatIsMissing) {
  DumpBuilder dump;
  dump.process()
      .part(2, 3, 1000)
      .anchor(0, 0)
      .anchor(1000, 1000)
      .names({"a"})
      .thread(0, "old", 5)
      .thread(1, "new", 1500);
  dump.scopes(0, 500, {{2000, 1, 1}}).scopes(1, 7, {{2000, 1, 1}}).end(3000, 2);
  const TemporaryFile file(dump.bytes());
  EXPECT_EQ(read_together({file.path()}).report.losses.not_in_file, 7u);
}

// One has ended and is named no more; of another only the counts are here; the third goes on.
TEST(Parts, RecordsOfThreadsThatAreOnlyInAbsentPartsAreToldOf) {
  DumpBuilder dump;
  dump.process().part(4, 3, 1000, 1500).anchor(0, 0).anchor(1000, 1000).names({"a"});
  dump.thread(1, "quiet", 5).thread(2, "busy", 6).scopes(2, 300, {{2000, 1, 1}});
  dump.counters(1, 1, 700, 700, {}, 0, 0, {}).counters(2, 1, 301, 301, {}, 0, 0, {}).end(3000, 1);
  const TemporaryFile file(dump.bytes());
  const Told told = read_together({file.path()});
  EXPECT_EQ(told.report.losses.records, 0u);
  ASSERT_EQ(told.report.partial.size(), 1u);
  EXPECT_THAT(told.report.partial[0], HasSubstr("1,500 records in them"));
  expect_rules_hold(told.check);
}

TEST(Parts, CountsThatAreAheadOfAPartsRecordsTellOfTheNextPart) {
  DumpBuilder dump;
  dump.process().part(1, 3, 0, 0).anchor(0, 0).anchor(1000, 1000).names({"a"}).thread(1, "t", 5);
  dump.scopes(1, 0, {{2000, 1, 1}}).counters(1, 1, 5, 5, {}, 0, 0, {}).end(3000, 1, EndReason::continued);
  const TemporaryFile file(dump.bytes());
  const Told told = read_together({file.path()});
  EXPECT_EQ(told.report.losses.records, 0u);
  expect_rules_hold(told.check);
}

// Their counts stand at the beginning of each part; those of the first file that is there are the ones that lack.
TEST(Parts, CountsOfThreadsThatEndedInAbsentPartsAreInTheTotals) {
  const auto part = [](std::uint32_t number, std::uint64_t ended_calls) {
    DumpBuilder dump;
    dump.process().part(number, 3, 1000 * number, 10).anchor(0, 0);
    dump.counters(dump::kNoThread, 0, 0, 0, {0, 2}, 1, 640, {{0, 7, ended_calls}});
    return dump.anchor(1000 * number, 1000 * number)
        .names({"a"})
        .thread(number, "t", 5)
        .counters(number, 1, 0, 0, {}, 0, 64, {{0, 7, 1}});
  };
  const TemporaryFile second(part(2, 30).end(2500, 0, EndReason::continued).bytes()),
      third(part(3, 31).end(3500, 0).bytes());
  const Told told = read_together({second.path(), third.path()});
  EXPECT_EQ(told.report.allocations.calls[0], 32u);
  EXPECT_EQ(told.report.allocations.failed, 1u);
  EXPECT_EQ(told.report.losses.records, 2u);
  EXPECT_EQ(told.report.threads.size(), 2u);
  EXPECT_THAT(told.report.notes, Contains(HasSubstr("30 allocation calls of threads that ended in parts")));
  expect_rules_hold(told.check);
  EXPECT_EQ(read_together({third.path()}).report.allocations.calls[0], 32u);
}

TEST(Parts, DamageIsToldWithItsFileAndTheNextPartGoesOn) {
  Files files({1}, 0);
  const std::string cut = part(2).bytes();
  files.add(cut.substr(0, cut.size() - 60));  // inside the anchor before the end
  files.add(part(3, EndReason::exit).bytes());
  const Told told = read_together(files.paths);
  EXPECT_EQ(told.report.scopes[0].latency.count(), 5 * kEach);
  ASSERT_EQ(told.report.partial.size(), 2u);
  EXPECT_THAT(told.report.partial[0], HasSubstr("cut after"));
  EXPECT_THAT(told.report.partial[0], HasSubstr(" of " + files.paths[1]));
  EXPECT_THAT(told.report.partial[1], HasSubstr("part 2 does not end where the next one begins"));
}

TEST(Parts, OtherDumpsAndCopiesAreGroupsOfTheirOwn) {
  const Files files({1, 2}, 2), again({2}, 2);
  const TemporaryFile plain(good_dump(10)), empty("");
  const auto groups = read::group_parts({files.paths[1], plain.path(), again.paths[0], empty.path(), files.paths[0]});
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_THAT(groups[0], ElementsAre(files.paths[0], files.paths[1]));
  EXPECT_THAT(groups[1], ElementsAre(plain.path()));
  EXPECT_THAT(groups[2], ElementsAre(again.paths[0]));
  EXPECT_THAT(groups[3], ElementsAre(empty.path()));
}

TEST(Parts, ARepeatedPartBlockAndAnOddOneAreHarmless) {
  DumpBuilder dump;
  dump.process().part(0, 3).part(0xffffffff, 0).part(7, 1).anchor(0, 0).anchor(10, 10).end(10, 0);
  const TemporaryFile file(dump.bytes());
  const Told told = read_together({file.path()});
  EXPECT_THAT(told.report.partial[0], HasSubstr("contradicts itself"));
  EXPECT_THAT(told.report.partial[1], HasSubstr("parts 1 to 4294967294 are not among the files"));
}

DumpBuilder full_disk(std::uint64_t dropped, std::uint64_t told) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).thread(0, "main", 1, 0, dump::kThreadMain);
  dump.scopes(0, 0, {{100, 1, 1}, {110, 1, 1}});
  dump.events(0, dump::kOutsideTheRing,
              {event(500, 0, RecordKind::dropped, told), event(200, 0, RecordKind::loss_from, dropped - 1),
               event(500, 0, RecordKind::loss_to, static_cast<std::uint64_t>(LossCause::disk_full))});
  dump.scopes(0, 2 + dropped, {{600, 1, 1}});
  // One of what was dropped took two records of the ring.
  dump.counters(0, 1, 3 + dropped, 3 + dropped - 1, {0, 0, 0, 0, 0, 0, dropped - 1}, 0, 0, {});
  return dump.anchor(1000, 1000).end(1000, 3);
}

TEST(Dropped, WhatAFullDiskDroppedExplainsItsGapExactly) {
  const TemporaryFile file(full_disk(10, 10).bytes());
  const Told told = read_together({file.path()});
  EXPECT_EQ(told.report.losses.not_in_file, 0u);
  EXPECT_EQ(told.report.losses.records, 9u);
  EXPECT_EQ(told.report.threads[0].lost, 9u);
  EXPECT_THAT(told.report.partial, ElementsAre("9 records were lost (disk_full 9)"));
  EXPECT_EQ(told.report.scopes[0].latency.count() + told.report.losses.records, 12u);  // recorded + lost = made
  expect_rules_hold(told.check);
}

TEST(Dropped, WhatIsMissingBesideItIsMissing) {
  const TemporaryFile less(full_disk(10, 7).bytes()), more(full_disk(10, 12).bytes());
  const Told missing = read_together({less.path()});
  EXPECT_EQ(missing.report.losses.not_in_file, 3u);
  EXPECT_EQ(missing.report.losses.records, 12u);
  EXPECT_EQ(missing.check.rules[0].holds, false);
  EXPECT_EQ(read_together({more.path()}).check.rules[0].holds, false);
}

}  // namespace
}  // namespace tl::test
