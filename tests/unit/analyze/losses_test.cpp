// What a report says first where records were lost, and what it advises.
#include <gmock/gmock.h>

#include "report_of.h"

namespace tl::analyze {
namespace {

using dump::EndReason;
using test::DumpBuilder;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using Lost = std::vector<std::uint64_t>;

// Two threads with nine and ninety scopes, each of which lost what is told.
DumpBuilder unended(const Lost& first, const Lost& second = {}) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a", "b"}).thread(0, "main").thread(1, "io");
  std::uint32_t serial = 0;
  for (const std::uint64_t records : {9u, 90u}) {
    std::vector<test::Scope> scopes;
    for (std::uint64_t i = 0; i < records; ++i) scopes.push_back({1000 + 100 * i, 10, 1});
    dump.scopes(serial, 0, scopes).counters(serial, 1, records, records, serial == 0 ? first : second, 0, 0, {});
    ++serial;
  }
  return dump;
}
DumpBuilder whole(const Lost& first, const Lost& second = {}) { return unended(first, second).end(99000, 99); }

TEST(Losses, AreTheFirstThingAReportSays) {
  const Report report = report_of(whole({11}));
  ASSERT_GE(report.headline.size(), 2u);
  EXPECT_EQ(report.headline[0],
            "11 of 110 records were lost (10 %: ring_full), so counts are low and a slow run may be among them.");
  EXPECT_THAT(report.headline[1], StartsWith("Slowest: "));
}

TEST(Losses, AReportThatLacksNothingSaysNothingOfThem) {
  const Report report = report_of(whole({}));
  EXPECT_THAT(report.headline, Each(Not(HasSubstr("lost"))));
  EXPECT_THAT(report.headline[0], StartsWith("Slowest: "));
  EXPECT_THAT(report.losses.advice, IsEmpty());
}

TEST(Losses, SeveralCausesAreToldApart) {
  const Report report = report_of(whole({1000, 0, 1}, {0, 0, 0, 0, 0, 2100}));
  EXPECT_THAT(
      report.headline[0],
      StartsWith(
          "3,101 of 3,200 records were lost (97 %: ring_full 1,000, too_deep 1, late 2,100), so counts are low"));
  EXPECT_THAT(report.losses.advice,
              ElementsAre(StartsWith("ring_full: "), StartsWith("too_deep: "), StartsWith("late: ")));
}

TEST(Losses, SomeAreNotCalledNoneNorNearlyAllAll) {
  EXPECT_EQ(share_of_some_words(1, 1000000), "< 0.1 %");
  EXPECT_EQ(share_of_some_words(999999, 1000000), "> 99 %");
  EXPECT_EQ(share_of_some_words(7, 7), "100 %");
  EXPECT_EQ(share_of_some_words(0, 7), "0.0 %");
  EXPECT_EQ(share_of_some_words(12345, 1246790), "1.0 %");
  EXPECT_THAT(report_of(whole({1})).headline[0], StartsWith("1 of 100 records was lost (1.0 %: ring_full), "));
  EXPECT_THAT(report_of(whole({99999901})).headline[0],
              StartsWith("99,999,901 of 100,000,000 records were lost (> 99 %"));
}

TEST(Losses, OfSelectedThreadsAreTheirs) {
  const DumpBuilder dump = whole({1}, {10});
  Filter filter;
  filter.thread = [](const std::string& name) { return name == "io"; };
  const Report some = report_of(dump, filter);
  EXPECT_EQ(some.headline[0],
            "10 of 100 records of the threads shown were lost (10 %: ring_full), "
            "so counts may be low and a slow run may be among them.");
  EXPECT_THAT(some.partial, ElementsAre("11 records were lost (ring_full 11)"));  // the dump is no better for it
  filter.thread = [](const std::string& name) { return name == "main"; };
  EXPECT_THAT(report_of(whole({}, {10}), filter).headline, Each(Not(HasSubstr("lost"))));
}

TEST(Losses, OfWhichScopesIsNotKnown) {
  Filter filter;
  filter.scope = [](const std::string& name) { return name == "a"; };
  EXPECT_EQ(report_of(whole({11}), filter).headline[0],
            "11 records were lost (ring_full), so counts may be low and a slow run may be among them.");
}

TEST(Losses, IdsOfNoScopeMakeNoRowTooLow) {
  EXPECT_EQ(report_of(whole({0, 0, 0, 11})).headline[0],
            "11 of 110 records were lost (10 %: bad_id); they carry ids of no scope, so no row lacks them.");
  EXPECT_THAT(report_of(whole({1, 0, 0, 11})).headline[0], HasSubstr("counts are low"));
}

// Not in records of the file: two stand for an episode of losses, several for a mark.
TEST(Losses, AreCountedAmongTheCallsOfTheProgram) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a", "beat", "size"}).thread(0, "main");
  dump.scopes(0, 0,
              {{900, 10, 1},
               {950, 10, 1, dump::RecordKind::span},
               {960, 10, 2, dump::RecordKind::pulse},
               {970, 10, 3, dump::RecordKind::value},
               {980, 15, 1, dump::RecordKind::response},
               {980, 10, 1}});
  std::vector<dump::RingRecord> rare = test::mark(1000, "this text takes more than one record");
  rare.push_back(test::event(1100, 0, dump::RecordKind::loss_from, 4));
  rare.push_back(test::event(1200, 0, dump::RecordKind::loss_to, 0));
  dump.events(0, 6, rare).counters(0, 1, 6 + rare.size(), 7, {4}, 0, 0, {}).end(2000, 6 + rare.size());
  EXPECT_THAT(report_of(dump).headline[0], StartsWith("4 of 10 records were lost (40 %: ring_full), "));
}

TEST(Losses, WithoutTheEndThereAreAtLeastSoMany) {
  const Report report = report_of(unended({11}));
  EXPECT_THAT(report.headline[0], StartsWith("At least 11 records were lost (ring_full), so counts are low"));
}

TEST(Losses, OfARotatedDumpNoTotalIsInventedForPartsThatAreNotGiven) {
  DumpBuilder later;
  later.process().part(2, 3, 0, 500).anchor(0, 0).names({"a"}).thread(0, "main").scopes(0, 500, {{900, 10, 1}});
  later.counters(0, 1, 501, 501, {11}, 0, 0, {}).end(2000, 1);
  EXPECT_THAT(report_of(later).headline[0],
              StartsWith("11 records were lost since the program began (ring_full), so counts are low"));
  DumpBuilder first;
  first.process().part(1, 3).anchor(0, 0).names({"a"}).thread(0, "main").scopes(0, 0, {{900, 10, 1}});
  first.counters(0, 1, 1, 1, {1}, 0, 0, {}).end(2000, 1, EndReason::continued);
  EXPECT_THAT(report_of(first).headline[0], StartsWith("1 record was lost so far (ring_full), "));
}

TEST(Losses, WhatTheFileShouldHoldIsTold) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).thread(0, "main").scopes(0, 10, {{900, 10, 1}});
  dump.counters(0, 1, 11, 11, {}, 0, 0, {});
  DumpBuilder with_reason = dump;
  const Report gone = report_of(dump.end(2000, 1, EndReason::killed));
  EXPECT_THAT(gone.headline[0], StartsWith("10 of 11 records were lost (91 %: not in the file), so counts are low"));
  EXPECT_THAT(gone.losses.advice,
              ElementsAre(AllOf(StartsWith("not_in_file: "), HasSubstr("/dev/shm/libtelemetry.*"))));
  const Report told = report_of(with_reason.warning("private_memory", "no room").end(2000, 1, EndReason::killed));
  EXPECT_THAT(told.losses.advice, ElementsAre(AllOf(StartsWith("not_in_file: "), HasSubstr("room there"))));
}

TEST(Losses, OfACutFileAnotherCopyIsTheAdvice) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).thread(0, "main").scopes(0, 10, {{900, 10, 1}});
  const Report report = report_of(dump.raw("cut"));
  EXPECT_THAT(report.headline[0], StartsWith("At least 10 records were lost (not in the file), "));
  EXPECT_THAT(report.losses.advice, ElementsAre(HasSubstr("undamaged copy")));
}

TEST(Losses, AdviceNamesWhatToChange) {
  const Report report = report_of(whole({1, 1, 1, 1, 1, 1, 1}));
  EXPECT_THAT(report.losses.advice,
              ElementsAre(AllOf(StartsWith("ring_full: "), HasSubstr("TL_RING and TL_RING_POOL"), HasSubstr("CPU")),
                          AllOf(StartsWith("no_ring: "), HasSubstr("memory"), HasSubstr("smaller TL_RING_POOL")),
                          AllOf(StartsWith("too_deep: "), HasSubstr("1,024 scopes open at once")),
                          AllOf(StartsWith("bad_id: "), HasSubstr("tl_scope_register")),
                          AllOf(StartsWith("forked: "), HasSubstr("forked child")),
                          AllOf(StartsWith("late: "), HasSubstr("destructors"), HasSubstr("process ends")),
                          AllOf(StartsWith("disk_full: "), HasSubstr("TL_OUTPUT"), HasSubstr("TL_SIZE"))));
  for (const std::string& line : report.losses.advice) EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

// The warnings are the recorder's, word for word.
TEST(Losses, NoRoomIsAdvisedOnByItsReason) {
  const auto advice = [](const std::vector<std::string>& reasons) {
    DumpBuilder dump = unended({0, 0, 0, 0, 0, 0, 5});
    for (const std::string& reason : reasons)
      dump.warning("no_space", "the dump took no more records: " + reason +
                                   "; those that came meanwhile are counted as lost, cause disk_full");
    const Report report = report_of(dump.end(99000, 99));
    return report.losses.advice.size() == 1 ? report.losses.advice[0] : "not one";
  };
  const std::string size = advice({"the dump has the size that TL_SIZE allows"});
  EXPECT_THAT(size, AllOf(HasSubstr("larger one, or with TL_ROTATE"), Not(HasSubstr("TL_OUTPUT"))));
  EXPECT_THAT(advice({"no space is left on its file system"}),
              AllOf(HasSubstr("disk was full"), Not(HasSubstr("TL_SIZE"))));
  EXPECT_THAT(advice({"the process's limit on the size of files (RLIMIT_FSIZE) is reached"}), HasSubstr("ulimit -f"));
  EXPECT_THAT(advice({"the user's quota on its file system is used up"}), HasSubstr("quota"));
  EXPECT_THAT(advice({"it is as large as its file system or the process's limits allow"}), HasSubstr("TL_ROTATE"));
  EXPECT_THAT(advice({"no space is left on its file system", "the dump has the size that TL_SIZE allows"}),
              AllOf(HasSubstr("disk was full"), HasSubstr("reached its TL_SIZE")));
}

TEST(Losses, OfSeveralDumpsEachAdviceIsGivenOnce) {
  std::vector<Report> reports;
  reports.push_back(report_of(whole({1, 1})));
  reports.push_back(report_of(whole({1, 0, 1})));
  EXPECT_THAT(merge(reports).losses.advice,
              ElementsAre(StartsWith("ring_full: "), StartsWith("no_ring: "), StartsWith("too_deep: ")));
}

}  // namespace
}  // namespace tl::analyze
