// What each call of the C ABI puts into the ring, and the rules for what does not fit: on the hot way and on the longer
// one that other clocks take.
#include <functional>
#include <string>
#include <thread>

#include "recording.h"

extern "C" std::uint32_t tl_active;  // what telemetry.h looks at before its frequent calls

namespace tl::record {
namespace {

using dump::RecordKind;

constexpr std::uint32_t kUnknown = kMaxScopeIds;  // the tests register fewer

// With the counter's stamps, and with the system's.
class Calls : public Recording, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    Recording::SetUp();
    clock::choose_clock(GetParam());
    update_gate();
    a = register_scope("a"), b = register_scope("b"), c = register_scope("c");
  }
  void TearDown() override {
    Recording::TearDown();
    clock::choose_clock(true);
  }

  std::vector<std::pair<RecordKind, std::uint32_t>> kinds() {
    collect();
    std::vector<std::pair<RecordKind, std::uint32_t>> out;
    for (const DecodedRecord& record : records) out.emplace_back(record.kind, record.id);
    records.clear();
    return out;
  }
  std::uint64_t lost(LossCause cause) { return tls.slot->lost[static_cast<unsigned>(cause)].load(); }
  using Kinds = std::vector<std::pair<RecordKind, std::uint32_t>>;

  std::uint32_t a, b, c;
};
INSTANTIATE_TEST_SUITE_P(Clocks, Calls, ::testing::Values(true, false),
                         [](const auto& test) { return test.param ? "Counter" : "System"; });

TEST_P(Calls, EveryPairOfModesIsKept) {
  void (*begins[])(ThreadState&, std::uint32_t) = {begin<StampMode::fast>, begin<StampMode::mid>,
                                                   begin<StampMode::hard>};
  void (*ends[])(ThreadState&, std::uint32_t) = {end<StampMode::fast>, end<StampMode::mid>, end<StampMode::hard>};
  Kinds wanted;
  for (unsigned from = 0; from < kStampModes; ++from)
    for (unsigned to = 0; to < kStampModes; ++to) {
      begins[from](tls, a);
      ends[to](tls, a);
      wanted.emplace_back(dump::scope_kind(static_cast<StampMode>(from), static_cast<StampMode>(to)), a);
    }
  EXPECT_EQ(kinds(), wanted);
  EXPECT_EQ(tls.ring->scopes_finished, 9u);
}

TEST_P(Calls, AChainTakesOneStampAStage) {
  next(tls, a);  // nothing open: begins
  next(tls, b);
  next(tls, c);
  next(tls, 0);  // only ends
  next(tls, 0);  // nothing to end
  collect();
  ASSERT_EQ(records.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(records[i].id, i == 0 ? a : i == 1 ? b : c);
  for (std::size_t i = 1; i < 3; ++i) EXPECT_EQ(records[i].ticks - records[i].number, records[i - 1].ticks);
  EXPECT_EQ(tls.ring->depth(), 0u);
}

TEST_P(Calls, AStageEndsTheInnermostOfAnyKind) {
  begin(tls, a);
  begin<StampMode::hard>(tls, b);
  next(tls, c);
  end(tls, c);
  end(tls, a);
  const auto hard = dump::scope_kind(StampMode::hard, StampMode::fast);
  EXPECT_EQ(kinds(), (Kinds{{hard, b}, {RecordKind::scope, c}, {RecordKind::scope, a}}));
  begin_at(tls, a, clock::ticks());
  next(tls, b);
  next(tls, 0);
  EXPECT_EQ(kinds(), (Kinds{{RecordKind::response, a}, {RecordKind::scope, a}, {RecordKind::scope, b}}));
  begin(tls, a);
  next(tls, kUnknown);  // no such id: nothing happens
  EXPECT_EQ(lost(LossCause::bad_id), 1u);
  end(tls, a);
  EXPECT_EQ(kinds(), (Kinds{{RecordKind::scope, a}}));
}

TEST_P(Calls, ChainsAtTheBottomOfTheDepth) {
  for (std::uint32_t i = 0; i < kMaxOpenScopes + 2; ++i) begin(tls, a);
  next(tls, b);  // ends one that is not kept, and so is the next
  EXPECT_EQ(lost(LossCause::too_deep), 3u);
  end(tls, b), end(tls, a);
  EXPECT_TRUE(kinds().empty());
  next(tls, b);  // the deepest that is kept
  next(tls, 0);
  for (std::uint32_t i = 0; i < kMaxOpenScopes - 1; ++i) end(tls, a);
  const Kinds all = kinds();
  ASSERT_EQ(all.size(), kMaxOpenScopes + 1);
  EXPECT_EQ(all[0], (std::pair{RecordKind::scope, a}));
  EXPECT_EQ(all[1], (std::pair{RecordKind::scope, b}));
  EXPECT_EQ(tls.ring->depth(), 0u);
}

TEST_P(Calls, ServiceAndResponse) {
  const std::uint64_t now = clock::ticks();
  begin_at(tls, a, now - 1000000);
  end(tls, a);
  begin_at(tls, a, now + (std::uint64_t{1} << 36));
  end<StampMode::mid>(tls, a);
  begin_at(tls, a, UINT64_MAX);
  end(tls, a);
  begin_at(tls, a, 1);  // when the clock began, which may be more than a record's number holds
  end(tls, a);
  collect();
  ASSERT_GE(records.size(), 8u);
  EXPECT_EQ(records[0].kind, RecordKind::response);
  EXPECT_EQ(records[0].ticks - records[0].number, now - 1000000);
  EXPECT_EQ(records[0].ticks, records[1].ticks);
  EXPECT_LT(records[1].number, records[0].number);
  EXPECT_EQ(records[2].kind, RecordKind::early_response);
  EXPECT_EQ(records[2].number, records[3].number);
  EXPECT_EQ(records[3].kind, dump::scope_kind(StampMode::fast, StampMode::mid));
  EXPECT_EQ(records[4].kind, RecordKind::early_response);
  const DecodedRecord& response = records[records.size() - 2];
  const bool wide = records.size() == 9;
  EXPECT_EQ(wide ? records[6].ticks : response.ticks - response.number, 1u);
  EXPECT_EQ(wide ? static_cast<RecordKind>(response.number) : response.kind, RecordKind::response);
  EXPECT_EQ(records.back().kind, RecordKind::scope);
}

TEST_P(Calls, AnIntendedBeginSurvivesAWrongEnd) {
  const std::uint64_t intended = clock::ticks() - 500;
  begin(tls, a);
  begin_at(tls, b, intended);
  end(tls, a);  // b waits for its own end
  end(tls, b);
  collect();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[3].kind, RecordKind::response);
  EXPECT_EQ(records[3].ticks - records[3].number, intended);
}

TEST_P(Calls, SpansAreTakenAsGiven) {
  span(tls, a, 100, 250);
  span(tls, a, 7, 7);
  span(tls, a, 251, 250);
  span(tls, a, 0, std::uint64_t{1} << 60);
  span(tls, 0, 1, 2), span(tls, kUnknown, 1, 2);
  collect();
  ASSERT_EQ(records.size(), 6u);
  EXPECT_EQ(records[0].kind, RecordKind::span);
  EXPECT_EQ(records[0].ticks, 250u);
  EXPECT_EQ(records[0].number, 150u);
  EXPECT_EQ(records[1].number, 0u);
  EXPECT_EQ(records[2].kind, RecordKind::wide_from);
  EXPECT_EQ(records[2].ticks, 251u);
  EXPECT_EQ(records[3].ticks, 250u);
  EXPECT_EQ(records[3].number, static_cast<std::uint64_t>(RecordKind::span));
  EXPECT_EQ(records[5].ticks, std::uint64_t{1} << 60);
  EXPECT_EQ(lost(LossCause::bad_id), 2u);
  EXPECT_EQ(tls.ring->scopes_finished, 4u);
}

TEST_P(Calls, PulsesAreGapsOfOneIdOnOneThread) {
  for (int i = 0; i < 4; ++i) pulse(tls, a), pulse(tls, b);
  std::thread([this] { pulse(tls, a); }).join();
  pulse(tls, 0), pulse(tls, kUnknown);
  collect();
  ASSERT_EQ(records.size(), 6u);  // the first of each only begins
  std::uint64_t last_end[2] = {0, 0};
  for (const DecodedRecord& record : records) {
    EXPECT_EQ(record.kind, RecordKind::pulse);
    std::uint64_t& last = last_end[record.id == b];
    if (last != 0) { EXPECT_EQ(record.ticks - record.number, last); }
    last = record.ticks;
  }
  EXPECT_EQ(lost(LossCause::bad_id), 2u);
}

TEST_P(Calls, PulsesOfIdsBeyondTheFirstTable) {
  std::uint32_t far = 0;
  for (int i = 0; far < shm::kPulsesPerChunk + 10; ++i) far = register_scope(("pulse " + std::to_string(i)).c_str());
  pulse(tls, far), pulse(tls, a), pulse(tls, far), pulse(tls, a);
  EXPECT_EQ(kinds(), (Kinds{{RecordKind::pulse, far}, {RecordKind::pulse, a}}));
}

TEST_P(Calls, ValuesOfEitherSignAndAnySize) {
  const std::int64_t all[] = {0,
                              1,
                              -1,
                              12345,
                              -54321,
                              (std::int64_t{1} << 39) - 1,
                              -(std::int64_t{1} << 39),
                              std::int64_t{1} << 39,
                              INT64_MAX,
                              INT64_MIN};
  for (const std::int64_t v : all) value(tls, a, v);
  value(tls, 0, 1), value(tls, kUnknown, 1);
  collect();
  std::size_t at = 0;
  for (const std::int64_t v : all) {
    ASSERT_LT(at, records.size());
    if (records[at].kind == RecordKind::value) {
      EXPECT_EQ(static_cast<std::int64_t>(dump::unzigzag(records[at].number)), v);
      ++at;
    } else {
      EXPECT_EQ(static_cast<std::int64_t>(records[at].ticks), v);
      EXPECT_EQ(records[at + 1].number, static_cast<std::uint64_t>(RecordKind::value));
      at += 2;
    }
  }
  EXPECT_EQ(at, records.size());
  EXPECT_EQ(at, 13u);  // three take two records
  EXPECT_EQ(lost(LossCause::bad_id), 2u);
}

// The text of the mark at `at`, which is moved behind it.
std::string text_at(const std::vector<DecodedRecord>& records, std::size_t& at) {
  std::string text;
  for (std::size_t left = records[at++].number; left > 0;) {
    const std::uint64_t words[] = {records[at].ticks, records[at].number};
    const std::size_t n = std::min<std::size_t>(left, 13);
    text.append(reinterpret_cast<const char*>(words), n);
    left -= n;
    ++at;
  }
  return text;
}

TEST_P(Calls, MarksCarryTheirTextAcrossSegments) {
  std::vector<std::string> texts;
  for (std::size_t size = 1; size <= 400; ++size)
    texts.push_back(std::string(size, static_cast<char>('a' + size % 26)));
  mark(tls, nullptr), mark(tls, "");
  for (const std::string& text : texts) mark(tls, text.c_str());
  collect();
  std::size_t at = 0, nothing = 0;
  for (const std::string& text : texts) {
    while (at < records.size() && records[at].kind == RecordKind::nothing) ++at, ++nothing;
    ASSERT_LT(at, records.size());
    ASSERT_EQ(records[at].kind, RecordKind::mark);
    ASSERT_EQ(text_at(records, at), text.substr(0, 255));
  }
  EXPECT_EQ(at, records.size());
  EXPECT_GT(nothing, 0u);  // 5,000 records: ends of segments were among them
}

TEST_P(Calls, WhatIsOpenAcrossAPauseIsDiscardedAndCounted) {
  begin(tls, a);
  begin(tls, b);
  pulse(tls, c);
  pause();
  EXPECT_FALSE(is_recording());
  end(tls, b);                 // not seen
  begin(tls, c), end(tls, c);  // nor this
  value(tls, a, 1), mark(tls, "x"), span(tls, a, 1, 2), next(tls, c), next(tls, 0), pulse(tls, c);
  resume();
  EXPECT_TRUE(is_recording());
  begin(tls, c), end(tls, c);  // of after the pause
  pulse(tls, c);               // begins anew
  end(tls, a);                 // discarded already
  begin(tls, b), end(tls, b);
  EXPECT_EQ(
      kinds(),
      (Kinds{{RecordKind::discarded, a}, {RecordKind::discarded, b}, {RecordKind::scope, c}, {RecordKind::scope, b}}));
  EXPECT_EQ(lost(LossCause::bad_id), 0u);
}

TEST_P(Calls, WhatBeganInAPauseIsDiscardedOnce) {
  begin(tls, c), end(tls, c);
  pause();
  pause();  // not nested
  begin(tls, a);
  resume();
  resume();
  begin(tls, b);
  end(tls, c);  // wrong, since b is open
  end(tls, b);
  end(tls, a);
  end(tls, a);  // no second one is known
  EXPECT_EQ(kinds(), (Kinds{{RecordKind::scope, c},
                            {RecordKind::mismatch, c},
                            {RecordKind::scope, b},
                            {RecordKind::discarded, a},
                            {RecordKind::mismatch, a}}));
}

TEST_P(Calls, OfManyPausesEachOpenScopeCountsOnce) {
  begin(tls, a);
  begin_at(tls, b, 1);
  for (int i = 0; i < 3; ++i) pause(), resume(), begin(tls, c), end(tls, c);
  EXPECT_EQ(kinds(), (Kinds{{RecordKind::discarded, a},
                            {RecordKind::discarded, b},
                            {RecordKind::scope, c},
                            {RecordKind::scope, c},
                            {RecordKind::scope, c}}));
  end(tls, b), end(tls, a);  // nothing new
  EXPECT_TRUE(kinds().empty());
  EXPECT_EQ(tls.ring->depth(), 0u);
}

TEST_P(Calls, WhatEndedInAPauseHoldsNoPlaceForEver) {
  for (std::uint32_t i = 0; i < kMaxOpenScopes; ++i) begin(tls, a);
  pause(), resume();
  for (int i = 0; i < 10; ++i) begin(tls, b), end(tls, b);
  EXPECT_EQ(lost(LossCause::too_deep), 0u);
  EXPECT_EQ(tls.ring->depth(), 0u);
}

// A thread that does nothing in a pause finds out by what it does next, whatever that is.
TEST_P(Calls, AnyCallAfterAPauseMeetsIt) {
  for (int call = 0; call < 5; ++call) {
    begin(tls, a);
    pause(), resume();
    const std::function<void()> calls[] = {[&] { end(tls, a); }, [&] { begin(tls, b), end(tls, b); },
                                           [&] { next(tls, b), next(tls, 0); }, [&] { value(tls, b, 1); },
                                           [&] { mark(tls, "m"); }};
    calls[call]();
    end(tls, a);
    collect();
    std::uint64_t discarded = 0, samples_of_a = 0;
    for (const DecodedRecord& record : records) {
      discarded += record.kind == RecordKind::discarded && record.id == a;
      samples_of_a += record.kind == RecordKind::scope && record.id == a;
    }
    EXPECT_GE(discarded, 1u) << call;
    EXPECT_EQ(samples_of_a, 0u) << call;
    records.clear();
  }
}

TEST_P(Calls, AThreadThatLivesInAPauseLeavesNothing) {
  pause();
  std::thread([this] { begin(tls, a), end(tls, a); }).join();
  resume();
  EXPECT_TRUE(kinds().empty());
}

TEST_P(Calls, TheProgramIsSparedItsCallsWhilePausedAndWhereSwitchedOff) {
  EXPECT_EQ(tl_active, 1u);
  pause();
  EXPECT_EQ(tl_active, 0u);
  resume();
  EXPECT_EQ(tl_active, 1u);
  switch_off();
  register_scope("after that");
  EXPECT_EQ(tl_active, 0u);
  gate.switched_off.store(0);
  update_gate();
  EXPECT_EQ(tl_active, 1u);
}

}  // namespace
}  // namespace tl::record
