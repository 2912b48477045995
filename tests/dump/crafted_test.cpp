// C11 and C17: numbers that no recorder writes. Each is refused or set apart, and said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/summary.h"
#include "good_dump.h"

namespace tl::test {
namespace {

using dump::BlockType;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

analyze::Report report_of(const std::string& bytes) {
  const TemporaryFile file(bytes);
  read::Dump dump;
  EXPECT_EQ(dump.open(file.path()), "");
  return analyze::summarize(dump, {});
}

std::string failure_of(const std::string& bytes) {
  const TemporaryFile file(bytes);
  read::Dump dump;
  return dump.open(file.path());
}

std::string whole_line(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

TEST(Crafted, OtherVersionsAndOtherFilesAreRefusedInOneSentence) {
  EXPECT_THAT(failure_of(DumpBuilder(0).process().bytes()), HasSubstr("has version 0 of the format"));
  EXPECT_THAT(failure_of(DumpBuilder(65535).process().bytes()), HasSubstr("has version 65535 of the format"));
  EXPECT_THAT(failure_of(""), HasSubstr("is empty"));
  EXPECT_THAT(failure_of("#!/bin/sh\necho no dump\n"), HasSubstr("is not a telemetry dump"));
  EXPECT_THAT(failure_of("TLDU"), HasSubstr("cut inside its header"));
  EXPECT_THAT(failure_of(std::string(dump::kSignature, 8)), HasSubstr("cut inside its header"));
}

TEST(Crafted, EndBeforeBeginIsAnAnomalyAndNoSample) {
  constexpr std::uint64_t k63 = std::uint64_t{1} << 63;
  const analyze::Report report = report_of(DumpBuilder()
                                               .process()
                                               .anchor(0, 1000)
                                               .names({"a"})
                                               .scopes(0, 0,
                                                       {{5000, ~std::uint64_t{0}, 1},  // end = begin - 1
                                                        {5000, 0, 1},                  // end = begin
                                                        {k63 + 6000, k63, 1},          // end = begin + 2^63
                                                        {5, 15, 1},                    // begin = 2^64 - 10, end = 5
                                                        {7000, 40, 1}})
                                               .anchor(10000, 11000)
                                               .end(10000, 5)
                                               .bytes());
  ASSERT_EQ(report.scopes.size(), 2u);
  EXPECT_EQ(report.scopes[0].latency.count(), 2u);
  EXPECT_EQ(report.scopes[0].latency.min_ns(), 0);
  EXPECT_EQ(report.scopes[0].latency.max_ns(), 40);
  EXPECT_EQ(report.clock.anomalies, 3u);
  EXPECT_THAT(whole_line(report.notes), HasSubstr("clock anomalies: 3"));
  EXPECT_THAT(report.partial, IsEmpty());
}

TEST(Crafted, ALongScopeWhoseEndLiesBeforeItsBeginIsAnAnomaly) {
  using dump::RecordKind;
  const auto word = [](RecordKind kind) { return dump::record_word(1, kind, 0); };
  constexpr std::uint64_t kLong = std::uint64_t{1} << 45;
  const analyze::Report report = report_of(DumpBuilder()
                                               .process()
                                               .anchor(0, 1000)
                                               .names({"a"})
                                               .events(0, 0,
                                                       {{9000, word(RecordKind::wide_from)},
                                                        {8000, word(RecordKind::wide_to)},
                                                        {100, word(RecordKind::wide_from)}})
                                               .events(0, 3, {{kLong + 100, word(RecordKind::wide_to)}})  // split pair
                                               .end(kLong + 200, 4)
                                               .bytes());
  EXPECT_EQ(report.clock.anomalies, 1u);
  EXPECT_EQ(report.scopes[0].latency.count(), 1u);
  EXPECT_EQ(report.scopes[0].latency.max_ns(), static_cast<double>(kLong));
}

TEST(Crafted, CountsAndLengthsBeyondTheirBlockAreContradictions) {
  const auto claims = [](const std::function<void(DumpBuilder&)>& add) {
    DumpBuilder dump;
    dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 10, 1}});
    add(dump);
    dump.anchor(1000, 1000).end(1000, 1);
    return report_of(dump.bytes());
  };
  const std::vector<std::function<void(DumpBuilder&)>> cases = {
      // scopes: more records than bytes, an id beyond the table of 65,535, a sequence at the end of its range
      [](DumpBuilder& d) { d.block(BlockType::records, 1, 0xffffffff, 0, [](ByteWriter& out) { out.varint(1); }); },
      [](DumpBuilder& d) {
        d.block(BlockType::records, 1, 256, 0, [](ByteWriter& out) { out.fixed(std::uint64_t{0}); });
      },
      [](DumpBuilder& d) {
        d.scopes(1, ~std::uint64_t{0}, {{5, 1, 1}, {6, 1, 1}});
      },
      [](DumpBuilder& d) {
        d.scopes(dump::kNoThread, 0, {{5, 1, 1}});
      },
      // events: 2^32 - 1 of them in 8 bytes
      [](DumpBuilder& d) {
        d.block(BlockType::events, 1, 0xffffffff, 0, [](ByteWriter& out) { out.fixed(std::uint64_t{0}); });
      },
      // names: four thousand million, a length beyond the block, id 0
      [](DumpBuilder& d) {
        d.block(BlockType::names, 0, 0xffffffff, 0, [](ByteWriter& out) { out.fixed(std::uint16_t{1}); });
      },
      [](DumpBuilder& d) {
        d.block(BlockType::names, 0, 1, 0, [](ByteWriter& out) {
          out.fixed(std::uint16_t{1});
          out.fixed(std::uint8_t{255});
          out.raw("abc", 3);
        });
      },
      [](DumpBuilder& d) { d.names({"zero"}, 0); },
      // open scopes: id 2^32 - 1 (a depth of -1 would be such a count)
      [](DumpBuilder& d) {
        d.open_scopes(1, {{5, 0xffffffff}});
      },
      [](DumpBuilder& d) { d.block(BlockType::open_scopes, 1, 0xffffffff, 0, [](ByteWriter&) {}); },
      // counters: 65,535 rows in nothing, a call and a class that do not exist
      [](DumpBuilder& d) {
        d.block(BlockType::counters, 1, 0, 0, [](ByteWriter& out) {
          for (int i = 0; i < 5; ++i) out.fixed(std::uint64_t{0});
          out.fixed(std::uint16_t{0xffff});
        });
      },
      [](DumpBuilder& d) {
        d.counters(1, 1, 0, 0, {}, 0, 0, {{200, 0, 1}});
      },
      [](DumpBuilder& d) {
        d.counters(1, 1, 0, 0, {}, 0, 0, {{0, 48, 1}});
      },
      // latency: a bucket beyond the last, more in buckets than samples, call and class
      [](DumpBuilder& d) {
        d.latency(1, 1, 0, 0, 1, 1, 1, {{0x7fffffff, 1}});
      },
      [](DumpBuilder& d) {
        d.latency(1, 1, 99, 0, 1, 1, 1, {{1, 1}});
      },
      [](DumpBuilder& d) {
        d.latency(1, 1, 0, 99, 1, 1, 1, {{1, 1}});
      },
      [](DumpBuilder& d) {
        d.latency(1, 1, 0, 0, 1, 9, 1, {{1, 1}});
      },
      // process: arguments that are not there; thread, warning, anchor, end: too short
      [](DumpBuilder& d) { d.block(BlockType::process, 0, 0, 0, [](ByteWriter& out) { out.varint(1); }); },
      [](DumpBuilder& d) { d.block(BlockType::thread, 1, 0, 0, [](ByteWriter& out) { out.varint(1); }); },
      [](DumpBuilder& d) {
        d.block(BlockType::warning, 1, 0, 0, [](ByteWriter& out) { out.fixed(std::uint16_t{9}); });
      },
      [](DumpBuilder& d) { d.block(BlockType::anchor, 1, 0, 0, [](ByteWriter& out) { out.varint(1); }); },
      [](DumpBuilder& d) { d.block(BlockType::end, 1, 0, 0, [](ByteWriter& out) { out.varint(1); }); },
      [](DumpBuilder& d) { d.block(BlockType::part, 1, 0, 0, [](ByteWriter& out) { out.varint(1); }); },
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const analyze::Report report = claims(cases[i]);
    EXPECT_THAT(whole_line(report.partial), HasSubstr("contradicts itself")) << "case " << i;
    EXPECT_FALSE(report.file.complete) << "case " << i;
    ASSERT_FALSE(report.scopes.empty());
    EXPECT_EQ(report.scopes[0].latency.count(), 1u) << "case " << i;
    EXPECT_EQ(report.scopes[0].name, "a") << "case " << i;
  }
}

TEST(Crafted, AnEmptyNamesBlockIsNothing) {
  const analyze::Report report =
      report_of(DumpBuilder().process().names({}).anchor(0, 0).anchor(10, 10).end(10, 0).bytes());
  EXPECT_THAT(report.partial, IsEmpty());
}

TEST(Crafted, RecordsThatStandTwiceCountOnce) {
  std::vector<Scope> all;
  for (std::uint64_t i = 0; i < 700; ++i) all.push_back({1000 + i * 10, 1 + i % 5, 1});
  const std::vector<Scope> first(all.begin(), all.begin() + 400), again(all.begin() + 256, all.end());
  const analyze::Report report = report_of(DumpBuilder()
                                               .process()
                                               .anchor(0, 0)
                                               .names({"a"})
                                               .scopes(0, 0, first)
                                               .scopes(0, 256, again)
                                               .scopes(0, 256, again)
                                               .counters(0, 1, 700, 700, {}, 0, 0, {})
                                               .end(9000, 700)
                                               .bytes());
  EXPECT_EQ(report.scopes[0].latency.count(), 700u);
  EXPECT_EQ(report.file.records, 700u);
  EXPECT_THAT(report.partial, IsEmpty());
}

TEST(Crafted, AGapInASequenceIsALoss) {
  const analyze::Report report = report_of(DumpBuilder()
                                               .process()
                                               .anchor(0, 0)
                                               .names({"a"})
                                               .scopes(0, 0, {{100, 1, 1}})
                                               .scopes(0, 11, {{200, 1, 1}})
                                               .counters(0, 1, 15, 15, {}, 0, 0, {})
                                               .end(9000, 2)
                                               .bytes());
  EXPECT_EQ(report.losses.not_in_file, 13u);  // ten between, three at the end
  EXPECT_EQ(report.losses.records, 13u);
  EXPECT_FALSE(report.file.complete);
}

// Whoever reads the memory that a process left reads the clock, too.
TEST(Crafted, AnAnchorAfterTheEndMakesNoProcessLiveLonger) {
  DumpBuilder dump;
  dump.process().anchor(1000, 0).names({"a"}).scopes(0, 0, {{2000, 1, 1}}).anchor(901000, 900000);
  dump.counters(0, 1, 1, 1, {}, 0, 0, {}).end(6000, 1);
  const analyze::Report report = report_of(dump.bytes());
  ASSERT_TRUE(report.process && report.process->duration_ns);
  EXPECT_NEAR(*report.process->duration_ns, 5000, 1);  // a tick is a nanosecond here
  EXPECT_EQ(report.process->ended, "exit");
}

// Their rings were in memory that died with the process; the counts were not.
TEST(Crafted, ScopesThatOnlyTheCountsKnowAreLost) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 1, 1}, {200, 1, 1}});
  dump.counters(0, 1, 2, 9, {3}, 0, 0, {}).end(9000, 2);
  const analyze::Report report = report_of(dump.bytes());
  EXPECT_EQ(report.losses.not_in_file, 4u);  // nine finished; two are here, three were lost to a full ring
  EXPECT_EQ(report.losses.records, 7u);
  EXPECT_FALSE(report.file.complete);
}

// It is counted before its record is made.
TEST(Crafted, AScopeThatWasEndingAsItsProcessDiedIsNotLost) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 1, 1}, {200, 1, 1}});
  dump.counters(0, 1, 2, 3, {}, 0, 0, {}).end(9000, 2, dump::EndReason::killed);
  EXPECT_EQ(report_of(dump.bytes()).losses.records, 0u);
}

TEST(Crafted, UnknownBlocksAndVersionsArePassedOverByTheirLength) {
  const analyze::Report report =
      report_of(DumpBuilder()
                    .process()
                    .anchor(0, 0)
                    .names({"a"})
                    .block(static_cast<BlockType>(999), 5, 77, 1, [](ByteWriter& out) { out.text("?"); })
                    .block(static_cast<BlockType>(0), 5, 77, 1, [](ByteWriter& out) { out.text("?"); })
                    .scopes(0, 0, {{100, 1, 1}})
                    .end(9000, 1)
                    .bytes());
  EXPECT_EQ(report.scopes[0].latency.count(), 1u);
  EXPECT_THAT(report.partial, IsEmpty());
  EXPECT_THAT(whole_line(report.notes), HasSubstr("2 blocks of a kind"));
}

TEST(Crafted, OnlyAnEndAtTheEndCounts) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 1, 1}}).end(200, 1, dump::EndReason::exec);
  dump.scopes(0, 1, {{300, 1, 1}});  // the exec failed and the program went on
  const analyze::Report open = report_of(dump.bytes());
  EXPECT_EQ(open.process->ended, "");  // the file does not tell
  EXPECT_THAT(whole_line(open.partial), HasSubstr("not closed"));
  dump.end(400, 2);
  const analyze::Report closed = report_of(dump.bytes());
  EXPECT_EQ(closed.process->ended, "exit");
  EXPECT_THAT(closed.partial, IsEmpty());
  EXPECT_EQ(closed.scopes[0].latency.count(), 2u);
}

TEST(Crafted, HostileAnchorsAreSaidAndHarmless) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> cases = {{},
                                                                                   {{5, 5}},
                                                                                   {{5, 5}, {5, 900}},
                                                                                   {{5, 900}, {10, 5}},
                                                                                   {{0, 0}, {1, kHuge}},
                                                                                   {{0, 0}, {kHuge, 1}},
                                                                                   {{kHuge, kHuge}, {0, 0}}};
  for (const auto& anchors : cases) {
    DumpBuilder dump;
    dump.process(dump::ClockSource::tsc).names({"a"});
    for (const auto& [ticks, ns] : anchors) dump.anchor(ticks, ns, 0xffffffff);
    dump.scopes(0, 0, {{100, 50, 1}}).end(9000, 1);
    const analyze::Report report = report_of(dump.bytes());
    EXPECT_EQ(report.scopes[0].latency.count(), 1u);
    EXPECT_TRUE(report.clock.ticks_per_ns || !report.not_observable.empty());
  }
}

}  // namespace
}  // namespace tl::test
