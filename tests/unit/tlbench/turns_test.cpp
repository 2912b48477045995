#include "tlbench/turns.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace tl::tlbench {

// What the tool has in files that need more of it.
volatile std::sig_atomic_t stop_asked = 0;
std::uint64_t ticks_now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

namespace {

// Two lanes of which the second takes twice as long, on a clock of their own; `said`: who was asked, in order.
struct TwoLanes {
  std::string said;
  std::vector<std::size_t> batches;
  Measured measured;
  std::vector<Lane> lanes = {lane('a', 1e-6, measured.reference), lane('b', 2e-6, measured.part)};

  Lane lane(char name, double seconds_each, Series& series) {
    return {series, [this, name, seconds_each](std::vector<std::uint64_t>& ticks) {
              said += name;
              batches.push_back(ticks.size());
              for (std::uint64_t& tick : ticks) tick = 1000;
              const double all = seconds_each * static_cast<double>(ticks.size() * kBatch);
              return Times{all, all / 2};
            }};
  }
};

TEST(Turns, EachRoundTheOtherWayRound) {
  TwoLanes two;
  take_in_turn(two.lanes, 1e-9, 0.025, two.measured);  // no more than must be
  ASSERT_GE(two.said.size(), 6U);
  EXPECT_EQ(two.said.substr(two.said.size() - 6), "abbaab");
}

TEST(Turns, AsManyOperationsForAll) {
  TwoLanes two;
  take_in_turn(two.lanes, 0.02, 0.025, two.measured);
  const std::size_t batches = two.batches.back();
  EXPECT_EQ(two.measured.slice_operations, batches * kBatch);
  EXPECT_EQ(two.measured.batch_operations, kBatch);
  for (std::size_t i = 0; i < 2 * two.measured.part.ns.size(); ++i)
    EXPECT_EQ(two.batches[two.batches.size() - 1 - i], batches);
  ASSERT_EQ(two.measured.part.ns.size(), two.measured.reference.ns.size());
  EXPECT_NEAR(two.measured.reference.ns.front(), 1000, 1e-6);
  EXPECT_NEAR(two.measured.part.ns.front(), 2000, 1e-6);
  EXPECT_NEAR(two.measured.part.cpu_ns.front(), 1000, 1e-6);
  EXPECT_GT(two.measured.part.p99_ns, 0);
}

// By the slower lane: 2.048 ms a batch, so that 12 of them are 25 ms.
TEST(Turns, NoSliceIsLongerThanItMay) {
  TwoLanes two;
  std::size_t rounds = 0;
  const auto take = two.lanes[0].take;
  two.lanes[0].take = [&](std::vector<std::uint64_t>& ticks) {
    if (++rounds == 8) stop_asked = 1;  // four trials, and some rounds
    return take(ticks);
  };
  take_in_turn(two.lanes, 3600, 0.025, two.measured);
  stop_asked = 0;
  EXPECT_EQ(two.batches.back(), 12U);
  EXPECT_EQ(two.measured.reference.ns.size(), 4U);
}

}  // namespace
}  // namespace tl::tlbench
