#include "dump/clock_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tl::dump {
namespace {

// A host's counter of 100 million steps a second as a guest reads it: scaled, rounded down, at times one beside.
struct Counter {
  double step;
  std::mt19937_64 random{1};
  std::uint64_t steps = 123456789;
  std::uint64_t operator()() {
    steps += random() % 3;
    return static_cast<std::uint64_t>(static_cast<long double>(steps) * step) + random() % 2;
  }
  std::vector<RingRecord> block(std::uint64_t most_steps) {
    std::vector<RingRecord> records(256);
    for (RingRecord& record : records) {
      steps += random() % most_steps;
      record = {(*this)(), 1};
    }
    return records;
  }
};

void expect_between(const ClockSteps& steps, double step, double width) {
  EXPECT_LE(steps.least(), step);
  EXPECT_GE(steps.most(), step);
  EXPECT_LE(steps.most() - steps.least(), width);
}

TEST(ClockSteps, AFewStampsTellTheFractionAndRecordsTheRest) {
  for (const double step : {25.96, 26., 10.4167, 33.333333, 8.5}) {
    Counter counter{step};
    ClockSteps steps = measured_steps(static_cast<std::uint64_t>(std::lround(step)), std::ref(counter));
    expect_between(steps, step, 0.03);
    for (int i = 0; i < 200; ++i) {
      const std::vector<RingRecord> block = counter.block(1000);
      steps.learn(block.data(), 256);
    }
    expect_between(steps, step, 1e-6);
  }
}

TEST(ClockSteps, RecordsOfManyThreadsInTurnTellAsMuch) {
  Counter counter{25.96};
  ClockSteps steps = measured_steps(26, std::ref(counter));
  for (int i = 0; i < 200; ++i) {
    const std::vector<RingRecord> early = counter.block(500), late = counter.block(500);
    steps.learn(late.data(), 256);
    steps.learn(early.data(), 100);
  }
  expect_between(steps, 25.96, 1e-6);
}

TEST(ClockSteps, OneProcessorsClockThatIsOffDoesNotStayInTheWay) {
  Counter counter{25.96};
  ClockSteps steps;
  steps.expect(25.95, 25.97);
  for (int i = 0; i < 3000; ++i) {
    std::vector<RingRecord> block = counter.block(200);
    if (i % 1000 == 500)
      for (RingRecord& record : block) record.ticks += 13;
    steps.learn(block.data(), 256);
  }
  expect_between(steps, 25.96, 1e-5);
}

TEST(ClockSteps, AClockWithoutThemHasNone) {
  const std::vector<RingRecord> block = Counter{1}.block(100);
  for (const double least : {0., 1., 7.9, -5., std::nan(""), 1e300}) {
    ClockSteps steps;
    steps.expect(least, least + 1);
    EXPECT_FALSE(steps.expected()) << least;
    steps.learn(block.data(), 256);
    EXPECT_FALSE(steps.expected());
  }
}

TEST(ClockSteps, FactorsAreExactToATick) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 100000; ++round) {
    const double step = kLeastStep + static_cast<double>(random() % 1000000) / 10;
    const StepFactors factors(step);
    const std::uint64_t steps = random() % (1 << 20);
    const long double ticks = static_cast<long double>(steps) * step;
    if (ticks >= 0x1p31L) continue;
    EXPECT_NEAR(static_cast<double>(ticks_of(factors.step, factors.shift, steps)), static_cast<double>(ticks),
                0.51 + 0x1p-32 * static_cast<double>(ticks));
    EXPECT_EQ(steps_of(factors, static_cast<std::uint32_t>(ticks)), steps) << step;
  }
}

}  // namespace
}  // namespace tl::dump
