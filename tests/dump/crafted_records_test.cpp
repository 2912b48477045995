// C11 and C17 for what is no plain scope: stamps that run backwards, halves without the other, numbers that no recorder
// writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/check.h"
#include "analyze/summary.h"
#include "good_dump.h"
#include "render/summary.h"

namespace tl::test {
namespace {

using dump::RecordKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t k63 = std::uint64_t{1} << 63, kMost = ~std::uint64_t{0};

analyze::Report report_of(const std::string& bytes) {
  const TemporaryFile file(bytes);
  read::Dump dump;
  EXPECT_EQ(dump.open(file.path()), "");
  analyze::Report report = analyze::summarize(dump, {});
  analyze::check(dump);
  // Whatever the numbers are, they can be shown.
  EXPECT_FALSE(render::summary_text(report, {}, {80, false}).empty());
  EXPECT_FALSE(render::summary_json({report}, nullptr, {}).empty());
  return report;
}

DumpBuilder begun() {
  DumpBuilder dump;
  dump.process().anchor(0, 1000).names({"a", "b"});
  return dump;
}

TEST(CraftedRecords, StampsThatRunBackwardsAreAnomaliesOfScopesAndSpans) {
  for (const RecordKind kind : {RecordKind::scope, static_cast<RecordKind>(0x0a), RecordKind::span}) {
    DumpBuilder dump = begun();
    dump.scopes(0, 0,
                {{5000, kMost, 1, kind},      // end = begin - 1
                 {5000, 0, 1, kind},          // end = begin
                 {k63 + 6000, k63, 1, kind},  // end = begin + 2^63
                 {5, 15, 1, kind},            // begin = 2^64 - 10, end = 5
                 {7000, 40, 1, kind}});
    std::vector<dump::RingRecord> rare;  // the same, as the recorder writes what runs backwards or is long
    for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{5001, 5000},
                                     {5000, 5000},
                                     {6000, k63 + 6000},
                                     {kMost - 9, 5},
                                     {7000, 7041}})
      for (const dump::RingRecord& record : wide(begin, end, 1, kind)) rare.push_back(record);
    dump.events(0, 5, rare).counters(0, 1, 15, 10, {}, 0, 0, {}).end(10000, 15);
    const analyze::Report report = report_of(dump.bytes());
    ASSERT_EQ(report.scopes.size(), 3u);
    EXPECT_EQ(report.scopes[0].latency.count(), 4u);
    EXPECT_EQ(report.scopes[0].latency.min_ns(), 0);
    EXPECT_EQ(report.scopes[0].latency.max_ns(), 41);
    EXPECT_EQ(report.scopes[0].latency.mean_ns(), 20.25);
    EXPECT_EQ(report.clock.anomalies, 6u);
    EXPECT_LE(report.clock.worst_anomaly_ns, -9e18);
    EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("clock anomalies: 6 times end before they begin")));
    EXPECT_THAT(report.partial, IsEmpty());
    EXPECT_EQ(report.threads[0].scopes, 10u);  // finished they are
  }
}

TEST(CraftedRecords, AScopeInsideOneWhoseStampsRunBackwardsKeepsItsTime) {
  const analyze::Report report =
      report_of(begun().scopes(0, 0, {{5000, 10, 2}, {5100, kMost, 1}, {5200, 300, 1}}).end(9000, 3).bytes());
  for (const analyze::ScopeRow& row : report.scopes) EXPECT_EQ(row.total_ns, row.name == "a" ? 300 : 10);
}

TEST(CraftedRecords, MarksTakeWhatIsThereAndNoMore) {
  std::vector<dump::RingRecord> records = {
      event(50, 0, RecordKind::mark_text, 1),                       // of no mark
      event(100, 0, RecordKind::mark, dump::kMaxNumber),            // a tebibyte, of which 13 bytes come
      event(0x4141414141414141, 0, RecordKind::mark_text, 0x42),    // "AAAAAAAAB" and four zeros
      event(200, 0, RecordKind::mark, 5),                           // another before the first is whole
      event(0x4343434343434343, 0, RecordKind::mark_text, 0x4444),  // more than it asked for
      event(0x4545454545454545, 0, RecordKind::mark_text, 0),       // and one too many
      event(300, 0, RecordKind::mark, 3)};                          // the end
  const analyze::Report report = report_of(begun().events(0, 0, records).end(9000, records.size()).bytes());
  ASSERT_EQ(report.marks.size(), 3u);
  EXPECT_EQ(report.marks[0].text, std::string("AAAAAAAAB\0\0\0\0", 13));
  EXPECT_EQ(report.marks[1].text, "CCCCC");
  EXPECT_EQ(report.marks[2].text, "");
}

TEST(CraftedRecords, AMarkIsNoLongerThanTheFile) {
  std::vector<dump::RingRecord> records = {event(100, 0, RecordKind::mark, dump::kMaxNumber)};
  for (int i = 0; i < 60000; ++i) records.push_back(event(0x4141414141414141, 0, RecordKind::mark_text, 0x4141414141));
  const std::string bytes = begun().events(0, 0, records).end(9000, records.size()).bytes();
  const analyze::Report report = report_of(bytes);
  ASSERT_EQ(report.marks.size(), 1u);
  EXPECT_LT(report.marks[0].text.size(), bytes.size());
}

TEST(CraftedRecords, HalvesOfAPairThatDoNotBelongTogetherAreNothing) {
  const auto with = [](const std::vector<dump::RingRecord>& records) {
    return report_of(begun().events(0, 0, records).end(9000, records.size()).bytes());
  };
  const auto wide_to = [](std::uint32_t id, std::uint64_t kind) { return event(k63, id, RecordKind::wide_to, kind); };
  for (const std::uint64_t kind : {std::uint64_t{0x80}, std::uint64_t{0x81}, std::uint64_t{0xff}, dump::kMaxNumber,
                                   std::uint64_t{0x100}, std::uint64_t{0x7f}, std::uint64_t{0x50}}) {
    const analyze::Report report = with({event(5, 1, RecordKind::wide_from), wide_to(1, kind)});
    EXPECT_EQ(report.scopes.at(0).latency.count(), 0u) << kind;
    EXPECT_EQ(report.clock.anomalies, 0u) << kind;
  }
  // id 0, no first half, a first half that waits for ever, another record between the halves
  const dump::RingRecord from = event(5, 1, RecordKind::wide_from);
  for (const auto& records : std::vector<std::vector<dump::RingRecord>>{
           {from, wide_to(0, 0)}, {wide_to(1, 0)}, {from}, {from, event(6, 1, RecordKind::nothing), wide_to(1, 0)}})
    EXPECT_EQ(with(records).scopes.at(0).latency.count(), 0u);
  for (const RecordKind kind : {RecordKind::scope, RecordKind::span, RecordKind::pulse, RecordKind::value,
                                RecordKind::response, RecordKind::early_response}) {
    const analyze::Report report = with({event(5, 0, kind, 5), event(6, 0, kind, 5)});
    EXPECT_EQ(report.scopes.size(), 2u);  // the names alone
    EXPECT_THAT(report.values, IsEmpty());
    EXPECT_THAT(report.pulses, IsEmpty());
  }
}

TEST(CraftedRecords, HalvesAcrossAGapAreNoPair) {
  DumpBuilder dump = begun();
  dump.events(0, 0, {event(5, 1, RecordKind::wide_from)});
  dump.events(0, 3, {event(k63 - 1, 1, RecordKind::wide_to, 0)});  // of another that was lost
  dump.scopes(0, 4, {{100, 10, 1}}).end(9000, 3);
  const analyze::Report report = report_of(dump.bytes());
  EXPECT_EQ(report.scopes[0].latency.count(), 1u);
  EXPECT_EQ(report.losses.not_in_file, 2u);
}

TEST(CraftedRecords, WhatNeverWasInARingDoesNotPartAPair) {
  DumpBuilder dump = begun();
  constexpr std::uint64_t kLong = std::uint64_t{1} << 45;
  dump.events(0, 0, {event(5, 1, RecordKind::wide_from)});
  dump.events(0, dump::kOutsideTheRing, {event(5, 0, RecordKind::loss_from, 2), event(9, 0, RecordKind::loss_to, 0)});
  dump.events(0, 1, {event(kLong, 1, RecordKind::wide_to, 0)}).end(kLong, 2);
  EXPECT_EQ(report_of(dump.bytes()).scopes[0].latency.max_ns(), static_cast<double>(kLong - 5));
}

TEST(CraftedRecords, OddResponsesAreOfNothing) {
  DumpBuilder dump = begun();
  dump.scopes(0, 0,
              {{100, 50, 1, RecordKind::response},
               {100, 60, 1, RecordKind::response},  // two in a row: the second is the scope's
               {100, 10, 1},
               {200, kMost, 1, RecordKind::response},  // backwards
               {200, 10, 1},
               {300, 70, 1, RecordKind::response},  // of a scope that ran backwards
               {300, kMost, 1},
               {400, 80, 2, RecordKind::early_response}});  // at the end, of an id that never ran
  dump.end(9000, 8);
  const analyze::Report report = report_of(dump.bytes());
  EXPECT_EQ(report.scopes[0].latency.count(), 2u);
  EXPECT_EQ(report.scopes[0].response.count(), 1u);
  EXPECT_EQ(report.scopes[0].response.max_ns(), 60);
  EXPECT_EQ(report.clock.anomalies, 2u);
  for (const analyze::ScopeRow& row : report.scopes)
    EXPECT_EQ(row.response.count() + row.early, row.name == "b" ? 0u : 1u);
}

TEST(CraftedRecords, CostsThatContradictThemselvesAreNotUsed) {
  const std::vector<std::vector<DumpBuilder::Cost>> cases = {{{0x00, 30, 20, 40, 50, 60, 10}},
                                                             {{0x00, 10, 20, 40, 39, 60, 10}},
                                                             {{0x00, 10, 20, 30, 40, 39, 10}},
                                                             {{0x00, 1, 2, 3, 4, 5, 6}, {0x00, 2, 3, 4, 5, 6, 7}}};
  for (const auto& rows : cases) {
    DumpBuilder dump = begun();
    dump.cost(3, {{0x05, 1, 2, 3, 4, 5, 6}}).cost(1, rows).scopes(0, 0, {{100, 10, 1}}).end(9000, 1);
    const analyze::Report report = report_of(dump.bytes());
    EXPECT_THAT(report.partial, ::testing::ElementsAre(HasSubstr("contradicts itself")));
    EXPECT_EQ(report.cost.step_ns, 3);  // of the good one before
    EXPECT_FALSE(report.cost.pairs[0]);
  }
  DumpBuilder claims = begun();
  claims.block(dump::BlockType::cost, 1, 0xffffffff, 0, [](ByteWriter& out) { out.fixed(std::uint64_t{1}); });
  EXPECT_THAT(report_of(claims.end(9000, 0).bytes()).partial, ::testing::ElementsAre(HasSubstr("contradicts itself")));
  // What a later version measures, and the largest numbers, are harmless.
  const analyze::Report report = report_of(begun()
                                               .cost(kMost, {{0xff, 1, 2, 3, 4, 5, 6},
                                                             {0x03, 1, 2, 3, 4, 5, 6},
                                                             {0x0f, 1, 2, 3, 4, 5, 6},
                                                             {0x0a, kMost, kMost, kMost, kMost, kMost, kMost}})
                                               .scopes(0, 0, {{100, 10, 1, static_cast<RecordKind>(0x0a)}})
                                               .end(9000, 1)
                                               .bytes());
  EXPECT_THAT(report.partial, IsEmpty());
  EXPECT_TRUE(report.cost.pairs[8]);
}

TEST(CraftedRecords, KindsOfALaterVersionAreNothingAndUnknownModesAreScopes) {
  DumpBuilder dump = begun();
  dump.scopes(0, 0,
              {{100, 10, 1, static_cast<RecordKind>(0x0f)},
               {110, kMost, 1, static_cast<RecordKind>(0x21)},
               {120, kMost, 2, static_cast<RecordKind>(0x7f)},
               {200, 20, 1, static_cast<RecordKind>(0x03)}});
  dump.end(9000, 4);
  const analyze::Report report = report_of(dump.bytes());
  EXPECT_EQ(report.scopes[0].latency.count(), 2u);
  EXPECT_EQ(report.scopes.size(), 3u);
  EXPECT_EQ(report.clock.anomalies, 0u);
  EXPECT_THAT(report.notes, ::testing::Contains(HasSubstr("2 records of a kind that this version does not know were")));
}

TEST(CraftedRecords, TheRichDumpIsWholeAndItsNumbersAgree) {
  const TemporaryFile file(rich_dump());
  read::Dump dump;
  ASSERT_EQ(dump.open(file.path()), "");
  const analyze::Report report = analyze::summarize(dump, {});
  EXPECT_THAT(report.partial, IsEmpty());
  EXPECT_EQ(report.marks.size(), 1u);
  EXPECT_EQ(report.values.at(0).values.min(), INT64_MIN);
  EXPECT_EQ(report.clock.anomalies, 0u);
  for (const analyze::Rule& rule : analyze::check(dump).rules) EXPECT_NE(rule.holds, false) << rule.text << rule.detail;
}

}  // namespace
}  // namespace tl::test
