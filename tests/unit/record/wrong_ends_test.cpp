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
  begin(a), begin(b), begin(c);
  end(a);
  end(c);
  end(b);
  begin(a), end(a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {
      {RecordKind::mismatch, a}, {RecordKind::scope, a}, {RecordKind::mismatch, c}, {RecordKind::scope, c},
      {RecordKind::mismatch, b}, {RecordKind::scope, b}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.ring->depth, 0u);
  EXPECT_EQ(tls.ring->displaced_count, 0u);
}

TEST_F(WrongEnds, AnEndWithoutABeginTouchesNothing) {
  begin(a);
  end(b);
  end(a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::mismatch, b}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
}

TEST_F(WrongEnds, AnEndIsTheFirstThingOfAThread) {
  end(a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::mismatch, a}};
  EXPECT_EQ(kinds(), wanted);
}

TEST_F(WrongEnds, DeeperThanTheLimitIsCountedAndHarmless) {
  begin(b);
  for (int i = 0; i < 200000; ++i) begin(a);
  EXPECT_EQ(tls.slot->lost[static_cast<unsigned>(LossCause::too_deep)].load(), 200001 - kMaxOpenScopes);
  for (int i = 0; i < 200000; ++i) end(a);
  end(b);
  EXPECT_EQ(tls.ring->depth, 0u);
  collect();
  EXPECT_EQ(records.size(), kMaxOpenScopes);
  for (const DecodedRecord& record : records) ASSERT_EQ(record.kind, RecordKind::scope);
  EXPECT_EQ(records.back().id, b);
}

TEST_F(WrongEnds, IdsThatAreNoneAreLostAtBeginAndNothingAtEnd) {
  begin(0), begin(c + 1), begin(UINT32_MAX);
  end(0), end(c + 1), end(UINT32_MAX);
  begin(a), end(a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {{RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.slot->lost[static_cast<unsigned>(LossCause::bad_id)].load(), 3u);
}

TEST_F(WrongEnds, WhoWaitsBehindSixteenOthersIsAbandonedByName) {
  begin(a);
  for (int i = 0; i < 17; ++i) begin(i == 0 ? b : c);
  end(a);
  const std::vector<std::pair<RecordKind, std::uint32_t>> wanted = {
      {RecordKind::abandoned, b}, {RecordKind::mismatch, a}, {RecordKind::scope, a}};
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.ring->displaced_count, kMaxDisplacedScopes);
}

TEST_F(WrongEnds, AScopeTooLongForARecordKeepsBothItsStamps) {
  begin(a);
  tls.ring->open[0].begin_ticks -= std::uint64_t{1} << 50;
  const std::uint64_t begin_ticks = tls.ring->open[0].begin_ticks;
  end(a);
  collect();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].kind, RecordKind::wide_from);
  EXPECT_EQ(records[0].ticks, begin_ticks);
  EXPECT_EQ(records[1].kind, RecordKind::wide_to);
  EXPECT_EQ(records[1].id, a);
}

}  // namespace
}  // namespace tl::record
