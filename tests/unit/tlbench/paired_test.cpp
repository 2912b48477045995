#include "tlbench/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tl::tlbench {
namespace {

// By sorting, as the definition has it.
double sorted_quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(place)), high = static_cast<std::size_t>(std::ceil(place));
  return values[low] * (1 - (place - std::floor(place))) + values[high] * (place - std::floor(place));
}

TEST(Paired, QuantilesAgreeWithSorting) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> distribution(3, 1);
  for (std::size_t size = 1; size <= 200; ++size) {
    std::vector<double> values(size);
    for (double& value : values) value = size % 3 == 0 ? std::floor(distribution(random)) : distribution(random);
    for (const double share : {0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 1.0})
      EXPECT_NEAR(quantile(values, share), sorted_quantile(values, share), 1e-9 * sorted_quantile(values, 1))
          << size << " values, " << share;
  }
}

TEST(Paired, MedianOfOneTwoThree) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Paired, RatioIsOfPairsAndNotOfMedians) {
  // The machine is ten times slower in two of three pairs; the ratio is 2 in each of them.
  const PairedRatio ratio = paired_ratio({20, 200, 200}, {10, 100, 100});
  EXPECT_EQ(ratio.median, 2);
  EXPECT_EQ(ratio.p10, 2);
  EXPECT_EQ(ratio.p90, 2);
  // Medians of both lists are 2; that of the pairs' ratios (0.5, 1, 3) is not the ratio of those of a shuffled list.
  EXPECT_EQ(paired_ratio({1, 2, 3}, {2, 2, 1}).median, 1);
  EXPECT_EQ(paired_ratio({3, 2, 4}, {1, 2, 2}).median, 2);
  EXPECT_EQ(paired_ratio({3, 2, 4}, {2, 2, 1}).median, 1.5);
}

TEST(Paired, SpreadAgreesWithSorting) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> distribution(1, 2);
  std::vector<double> values(41), references(41), ratios;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = distribution(random);
    references[i] = distribution(random);
    ratios.push_back(values[i] / references[i]);
  }
  const PairedRatio ratio = paired_ratio(values, references);
  EXPECT_DOUBLE_EQ(ratio.median, sorted_quantile(ratios, 0.5));
  EXPECT_DOUBLE_EQ(ratio.p10, sorted_quantile(ratios, 0.1));
  EXPECT_DOUBLE_EQ(ratio.p90, sorted_quantile(ratios, 0.9));
  EXPECT_EQ(ratio.pairs, 41U);
}

TEST(Paired, UnpairedRatioIsToTheMedianOfReferences) {
  // Of another number, in another order, and the slow machine of one reference is not the values' doing.
  const PairedRatio ratio = unpaired_ratio({30, 10, 20, 40, 50}, {100, 10, 5});
  EXPECT_EQ(ratio.pairs, 0U);
  EXPECT_DOUBLE_EQ(ratio.median, 3);
  EXPECT_DOUBLE_EQ(ratio.p10, 1.4);
  EXPECT_DOUBLE_EQ(ratio.p90, 4.6);
}

TEST(Paired, WhatHasNoPartnerDoesNotCount) {
  EXPECT_EQ(paired_ratio({1, 2, 100, 100}, {1, 2}).pairs, 2U);
  EXPECT_EQ(paired_ratio({1, 2, 5}, {0, 1, -1}).pairs, 1U);
  EXPECT_EQ(paired_ratio({1, 2, 5}, {0, 1, -1}).median, 2);
  const PairedRatio none = paired_ratio({}, {});
  EXPECT_EQ(none.pairs, 0U);
  EXPECT_TRUE(std::isnan(none.median));
}

}  // namespace
}  // namespace tl::tlbench
