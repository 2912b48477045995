#include "hist/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>

#include "base/log_linear.h"

namespace tl::hist {
namespace {

struct Heap {
  std::deque<std::vector<std::uint64_t>> chunks;
  std::size_t left = ~std::size_t{0};  // bytes until it says no
  Memory memory() { return {get, this}; }
  static void* get(void* context, std::size_t bytes) {
    auto& heap = *static_cast<Heap*>(context);
    if (bytes > heap.left) return nullptr;
    heap.left -= bytes;
    heap.chunks.emplace_back((bytes + 7) / 8);
    return heap.chunks.back().data();
  }
};

std::vector<std::uint64_t> random_values(unsigned seed, std::size_t count, double widest_bits) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> bits(0, widest_bits);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::uint64_t>(std::exp2(bits(random))) - 1);
  return values;
}

std::uint64_t ceil_rank(const std::vector<std::uint64_t>& sorted, double per_hundred_thousand) {
  const auto n = static_cast<std::uint64_t>(sorted.size());
  const auto p = static_cast<std::uint64_t>(per_hundred_thousand);
  std::uint64_t rank = (n * p + 99999) / 100000;
  return sorted[std::max<std::uint64_t>(rank, 1) - 1];
}

TEST(Buckets, ThreeDigitsAreTheRecordersBuckets) {
  const Buckets buckets(3);
  ASSERT_EQ(buckets.count(), log_linear::kBuckets);
  for (std::uint32_t i = 0; i < buckets.count(); ++i) {
    ASSERT_EQ(buckets.lowest_of(i), log_linear::lowest_of(i));
    ASSERT_EQ(buckets.highest_of(i), log_linear::highest_of(i));
  }
}

TEST(Buckets, EveryValueLiesInItsBucketAndNoBucketIsWiderThanItsDigits) {
  for (unsigned digits = 2; digits <= 5; ++digits) {
    const Buckets buckets(digits);
    for (std::uint64_t value : random_values(digits, 20000, 63.9)) {
      const std::uint32_t index = buckets.index_of(value);
      ASSERT_LE(buckets.lowest_of(index), value);
      ASSERT_GE(buckets.highest_of(index), value);
      ASSERT_LE(static_cast<double>(buckets.highest_of(index) - buckets.lowest_of(index)),
                static_cast<double>(value) / std::pow(10, digits));
    }
    EXPECT_EQ(buckets.highest_of(buckets.count() - 1), UINT64_MAX);
  }
}

TEST(Histogram, PercentilesAreThoseOfTheSortedSamplesInTheirBuckets) {
  for (unsigned digits = 2; digits <= 5; ++digits) {
    for (std::size_t count : {1, 2, 3, 10, 99, 100, 101, 1000, 12345}) {
      Heap heap;
      Histogram histogram(heap.memory(), digits);
      std::vector<std::uint64_t> values = random_values(static_cast<unsigned>(count), count, 48);
      for (const std::uint64_t value : values) histogram.record(value);
      std::sort(values.begin(), values.end());
      for (double p : {0.0, 1000.0, 20000.0, 50000.0, 90000.0, 99000.0, 99900.0, 99990.0, 100000.0}) {
        const std::uint64_t exact = ceil_rank(values, p);
        const std::uint64_t expected =
            std::min(histogram.buckets().highest_of(histogram.buckets().index_of(exact)), values.back());
        ASSERT_EQ(histogram.percentile(p / 1000), expected) << count << " samples, p" << p / 1000;
      }
      EXPECT_EQ(histogram.min(), values.front());
      EXPECT_EQ(histogram.max(), values.back());
      EXPECT_EQ(histogram.count(), count);
    }
  }
}

TEST(Histogram, ARankIsNotMovedByRounding) {
  // 99.9 % of 1,000 samples is the 999th; in doubles the product lies above 999.
  for (std::uint64_t n : {10u, 1000u, 10000u, 100000u}) {
    Heap heap;
    Histogram histogram(heap.memory(), 5);
    for (std::uint64_t i = 1; i <= n; ++i) histogram.record(i);
    EXPECT_EQ(histogram.percentile(90), n * 9 / 10);
    if (n >= 1000) { EXPECT_EQ(histogram.percentile(99.9), n / 1000 * 999); }
    if (n >= 10000) { EXPECT_EQ(histogram.percentile(99.99), n / 10000 * 9999); }
  }
}

TEST(Histogram, MeanAndDeviationAreThoseOfTheSamples) {
  Heap heap;
  Histogram histogram(heap.memory());
  const auto values = random_values(7, 5000, 40);
  double sum = 0;
  for (const std::uint64_t value : values) {
    histogram.record(value);
    sum += static_cast<double>(value);
  }
  const double mean = sum / 5000;
  double squares = 0;
  for (const std::uint64_t value : values) squares += std::pow(static_cast<double>(value) - mean, 2);
  EXPECT_NEAR(histogram.mean(), mean, mean * 1e-12);
  EXPECT_NEAR(histogram.stddev(), std::sqrt(squares / 5000), mean * 1e-9);
}

TEST(Histogram, ANarrowSpreadFarFromZeroKeepsItsDeviation) {
  Heap heap;
  Histogram histogram(heap.memory());
  constexpr std::uint64_t kFar = std::uint64_t{1} << 60;
  for (unsigned i = 0; i < 1000; ++i) histogram.record(kFar + (i % 2) * 2);
  EXPECT_NEAR(histogram.stddev(), 1, 1e-9);
  Histogram constant(heap.memory());
  constant.record(kFar, 1000000);
  EXPECT_EQ(constant.stddev(), 0);
}

TEST(Histogram, AMergeIsTheHistogramOfAllSamples) {
  Heap heap;
  Histogram a(heap.memory()), b(heap.memory()), all(heap.memory());
  for (const std::uint64_t value : random_values(1, 3000, 30)) a.record(value), all.record(value);
  for (const std::uint64_t value : random_values(2, 50, 60)) b.record(value), all.record(value);
  a.add(b);
  a.add(Histogram(heap.memory()));
  EXPECT_EQ(a.count(), all.count());
  EXPECT_EQ(a.min(), all.min());
  EXPECT_EQ(a.max(), all.max());
  EXPECT_EQ(a.mean(), all.mean());
  EXPECT_NEAR(a.stddev() / all.stddev(), 1, 1e-9);
  for (double p = 0; p <= 100; p += 0.5) ASSERT_EQ(a.percentile(p), all.percentile(p));
}

TEST(Histogram, WithoutMemoryTheExtremesAndCountsStayExact) {
  Heap heap;
  heap.left = 2000;
  Histogram histogram(heap.memory());
  for (std::uint64_t value : {5u, 5u, 5u, 1000000u, 70000u}) histogram.record(value);
  EXPECT_EQ(histogram.count(), 5u);
  EXPECT_EQ(histogram.max(), 1000000u);
  EXPECT_GT(histogram.unbinned(), 0u);
  EXPECT_EQ(histogram.percentile(50), 5u);
}

TEST(Histogram, AnEmptyOneIsAllZero) {
  const Histogram nothing;
  EXPECT_EQ(nothing.percentile(50), 0u);
  EXPECT_EQ(nothing.min(), 0u);
  EXPECT_EQ(nothing.mean(), 0);
  EXPECT_EQ(nothing.stddev(), 0);
}

TEST(Histogram, TheLargestValueHasABucket) {
  Heap heap;
  Histogram histogram(heap.memory(), 5);
  histogram.record(UINT64_MAX);
  histogram.record(0);
  EXPECT_EQ(histogram.percentile(100), UINT64_MAX);
  EXPECT_EQ(histogram.percentile(50), 0u);
}

}  // namespace
}  // namespace tl::hist
