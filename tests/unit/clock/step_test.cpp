#include "clock/step.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tl::clock {
namespace {

// What a clock shows that is right to the unit inside and lets through only every `leap`-th.
std::vector<std::uint64_t> differences(double leap, int jitter, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> out;
  double now = 1000;
  std::uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) {
    now += 20 + random() % 40;
    auto shown = static_cast<std::uint64_t>(static_cast<double>(static_cast<std::uint64_t>(now / leap)) * leap);
    if (jitter != 0) shown += random() % static_cast<unsigned>(jitter + 1);
    if (shown < last) shown = last;
    if (i > 0) out.push_back(shown - last);
    last = shown;
  }
  return out;
}

std::uint64_t step(std::vector<std::uint64_t> all) { return step_of(all.data(), all.size()); }

TEST(Step, AClockThatCountsEachOne) {
  for (unsigned seed = 1; seed < 20; ++seed) EXPECT_EQ(step(differences(1, 0, seed)), 1u);
}

TEST(Step, AClockThatLeaps) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(step(differences(100, 0, seed)), 100u);
    EXPECT_EQ(step(differences(26, 0, seed)), 26u);
    EXPECT_NEAR(static_cast<double>(step(differences(25.96, 1, seed))), 26, 2);
    EXPECT_EQ(step(differences(4, 0, seed)), 4u);
  }
}

TEST(Step, WhatOneProcessorShows) {
  std::vector<std::uint64_t> seen;
  const auto add = [&](std::uint64_t value, int times) {
    seen.insert(seen.end(), static_cast<std::size_t>(times), value);
  };
  add(1, 80), add(25, 68), add(26, 1792), add(51, 11), add(52, 41), add(78, 3), add(104, 1), add(3692, 1), add(6032, 1);
  EXPECT_EQ(step(seen), 26u);
}

TEST(Step, NothingToTellFrom) {
  EXPECT_EQ(step({}), 0u);
  EXPECT_EQ(step({0, 0, 0}), 0u);
  EXPECT_EQ(step({7}), 7u);
}

}  // namespace
}  // namespace tl::clock
