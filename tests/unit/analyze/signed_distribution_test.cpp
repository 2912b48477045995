// Numbers of either sign against sorting, and against the definition of a bucket written down once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "analyze/report.h"

namespace tl::analyze {
namespace {

// The highest number that cannot be told from `value`: exact below 2,048 in magnitude, else the lowest eleven bits
// from its highest on tell it.
std::int64_t highest_equivalent(std::int64_t value) {
  std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::uint64_t width = 1;
  while (magnitude / width >= 2048) width *= 2;
  const std::uint64_t lowest = magnitude / width * width;
  return value < 0 ? static_cast<std::int64_t>(0 - lowest) : static_cast<std::int64_t>(lowest + (width - 1));
}

void expect_like_sorting(std::vector<std::int64_t> numbers) {
  Arena arena;
  SignedDistribution all(arena.memory()), halves(arena.memory()), other(arena.memory());
  long double sum = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all.record(numbers[i]);
    (i % 2 == 0 ? halves : other).record(numbers[i]);
    sum += static_cast<long double>(numbers[i]);
  }
  halves.add(other);
  std::sort(numbers.begin(), numbers.end());
  const double mean = static_cast<double>(sum / static_cast<long double>(numbers.size()));
  for (const SignedDistribution* one : {&all, &halves}) {
    ASSERT_EQ(one->count(), numbers.size());
    EXPECT_EQ(one->min(), numbers.front());
    EXPECT_EQ(one->max(), numbers.back());
    EXPECT_NEAR(one->mean(), mean, std::fabs(mean) * 1e-12 + 1e-9);
    for (const int tenths : {0, 1, 10, 100, 250, 500, 750, 900, 990, 999, 1000}) {
      const std::size_t rank =
          std::max<std::size_t>(1, (numbers.size() * static_cast<std::size_t>(tenths) + 999) / 1000);
      EXPECT_EQ(one->percentile(tenths / 10.0), std::min(highest_equivalent(numbers[rank - 1]), numbers.back()))
          << tenths << " of 1000 of " << numbers.size();
    }
  }
}

TEST(SignedDistribution, IsThatOfTheSortedNumbers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::int64_t> numbers;
    const std::size_t count = 1 + random() % 2000;
    const int shift = static_cast<int>(random() % 64);
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = static_cast<std::int64_t>(random()) >> shift;
      numbers.push_back(round % 3 == 0 ? number : round % 3 == 1 ? -std::abs(number / 2) : std::abs(number / 2));
    }
    expect_like_sorting(numbers);
  }
}

TEST(SignedDistribution, HoldsTheWholeRange) {
  expect_like_sorting({INT64_MIN});
  expect_like_sorting({INT64_MAX});
  expect_like_sorting({INT64_MIN, INT64_MAX});
  expect_like_sorting({INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX});
  expect_like_sorting({-2049, -2049, -2049});
  expect_like_sorting({-5, -3, -3, 0, 0, 2});
}

TEST(SignedDistribution, OfNegativeNumbersTheHighestEquivalentIsClippedToTheMaximum) {
  Arena arena;
  SignedDistribution numbers(arena.memory());
  numbers.record(-2049);  // shares a bucket with -2048
  EXPECT_EQ(numbers.percentile(50), -2049);
  numbers.record(-1);
  EXPECT_EQ(numbers.percentile(50), -2048);
}

}  // namespace
}  // namespace tl::analyze
