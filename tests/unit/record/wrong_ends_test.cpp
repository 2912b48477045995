// The rules for ends that do not fit, as telemetry.h words them.

#include "recording.h"

namespace tl::record {
namespace {

using dump::RecordKind;

class WrongEnds : public Recording {
 protected:
  void SetUp() override {
    Recording::SetUp();
    a = register_scope("a"), b = register_scope("b"), c = register_scope("c");
  }
  std::vector<std::pair<RecordKind, std::uint32_t>> kinds() {
    collect();
    std::vector<std::pair<RecordKind, std::uint32_t>> found;
    for (const DecodedRecord& record : records) found.emplace_back(record.kind, record.id);
    return found;
  }
  std::uint32_t a = 0, b = 0, c = 0;
};

TEST_F(WrongEnds, TheOuterEndsFirstAndTheInnerStillFindsItsBegin) {
  begin(tls, a), begin(tls, b), begin(tls, c);
  end(tls, a);
  end(tls, c);
  end(tls, b);
  begin(tls, a), end(tls, a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {
      {RecordKind::mismatch, a}, {RecordKind::scope, a}, {RecordKind::mismatch, c}, {RecordKind::scope, c},
      {RecordKind::mismatch, b}, {RecordKind::scope, b}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.ring->depth(), 0u);
  EXPECT_EQ(tls.ring->displaced_count, 0u);
}

TEST_F(WrongEnds, AnEndWithoutABeginTouchesNothing) {
  begin(tls, a);
  end(tls, b);
  end(tls, a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::mismatch, b}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
}

TEST_F(WrongEnds, AnEndIsTheFirstThingOfAThread) {
  end(tls, a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::mismatch, a}};
  EXPECT_EQ(kinds(), wanted);
}

TEST_F(WrongEnds, DeeperThanTheLimitIsCountedAndHarmless) {
  begin(tls, b);
  for (int i = 0; i < 200000; ++i) begin(tls, a);
  EXPECT_EQ(tls.slot->lost[static_cast<unsigned>(LossCause::too_deep)].load(), 200001 - kMaxOpenScopes);
  for (int i = 0; i < 200000; ++i) end(tls, a);
  end(tls, b);
  EXPECT_EQ(tls.ring->depth(), 0u);
  collect();
  EXPECT_EQ(records.size(), kMaxOpenScopes);
  for (const DecodedRecord& record : records) ASSERT_EQ(record.kind, RecordKind::scope);
  EXPECT_EQ(records.back().id, b);
}

TEST_F(WrongEnds, IdsThatAreNoneAreLostAtBeginAndNothingAtEnd) {
  begin(tls, 0), begin(tls, c + 1), begin(tls, UINT32_MAX);
  end(tls, 0), end(tls, c + 1), end(tls, UINT32_MAX);
  begin(tls, a), end(tls, a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.slot->lost[static_cast<unsigned>(LossCause::bad_id)].load(), 3u);
}

TEST_F(WrongEnds, WhoWaitsBehindSixteenOthersIsAbandonedByName) {
  begin(tls, a);
  for (int i = 0; i < 17; ++i) begin(tls, i == 0 ? b : c);
  end(tls, a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {
      {RecordKind::abandoned, b}, {RecordKind::mismatch, a}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.ring->displaced_count, kMaxDisplacedScopes);
}

TEST_F(WrongEnds, AScopeTooLongForARecordKeepsBothItsStamps) {
  begin(tls, a);
  tls.ring->open[0].set_begin(tls.ring->open[0].begin_ticks() - (std::uint64_t{1} << 50));
  const std::uint64_t begin_ticks = tls.ring->open[0].begin_ticks();
  end(tls, a);
  collect();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::wide_from);
  EXPECT_EQ(records[0].ticks, begin_ticks);
  EXPECT_EQ(records[1].kind, RecordKind::wide_to);
  EXPECT_EQ(records[1].id, a);
}

// Around each border of what a record's number holds, and on both sides of zero.
TEST_F(WrongEnds, EveryDurationComesOutAsItWas) {
  for (const std::int64_t wanted :
       {std::int64_t{-1} << 33, std::int64_t{-1} << 32, std::int64_t{-1000000}, std::int64_t{1} << 31,
        (std::int64_t{1} << 32) - 100000, (std::int64_t{1} << 32) + 100000, std::int64_t{254} << 32,
        std::int64_t{255} << 32, std::int64_t{256} << 32, std::int64_t{1} << 41}) {
    records.clear();
    begin(tls, a);
    const std::uint64_t begin_ticks = clock::ticks() - static_cast<std::uint64_t>(wanted);
    tls.ring->open[0].set_begin(begin_ticks);
    end(tls, a);
    collect();
    ASSERT_FALSE(records.empty());
    const DecodedRecord& last = records.back();
    const bool wide = records.size() == 2;
    EXPECT_EQ(last.kind, wide ? RecordKind::wide_to : RecordKind::scope) << wanted;
    EXPECT_EQ(last.id, a);
    EXPECT_EQ(wide, wanted < 0 || wanted >= std::int64_t{256} << 32) << wanted;
    const std::uint64_t begun = wide ? records[0].ticks : last.ticks - last.number;
    EXPECT_EQ(begun, begin_ticks) << wanted;
  }
}

}  // namespace
}  // namespace tl::record
