#include <gtest/gtest.h>

#include <random>

#include "base/log_linear.h"
#include "base/size_class.h"
#include "base/text.h"

namespace tl {
namespace {

TEST(SizeClass, HoldsWhatItSays) {
  for (unsigned k = 0; k < kSizeClasses; ++k) {
    EXPECT_EQ(size_class_of(size_class_first(k)), k);
    EXPECT_EQ(size_class_of(size_class_last(k)), k);
    if (k + 1 < kSizeClasses) { EXPECT_EQ(size_class_last(k) + 1, size_class_first(k + 1)); }
  }
}

TEST(LogLinear, BucketsTileTheNumbersAndAreNarrow) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t value = random() >> random() % 64;
    const std::uint32_t index = log_linear::index_of(value);
    ASSERT_LE(log_linear::lowest_of(index), value);
    ASSERT_GE(log_linear::highest_of(index), value);
    ASSERT_LE(static_cast<double>(log_linear::width_of(index) - 1), static_cast<double>(value) / 1024 + 1);
  }
  for (std::uint32_t index = 0; index + 1 < log_linear::kBuckets; ++index)
    ASSERT_EQ(log_linear::highest_of(index) + 1, log_linear::lowest_of(index + 1));
}

TEST(Text, NumbersAndCuts) {
  char buffer[8];
  TextBuilder text(buffer, sizeof buffer);
  text.number(42, 4).add('-');
  EXPECT_EQ(text.view(), "0042-");
  text.add("abcdef");
  EXPECT_EQ(text.view(), "0042-ab");
  EXPECT_TRUE(text.cut());
  std::string_view digits = "18446744073709551616";
  std::uint64_t value;
  EXPECT_FALSE(parse_decimal(digits, value));
  digits = "18446744073709551615x";
  EXPECT_TRUE(parse_decimal(digits, value));
  EXPECT_EQ(value, UINT64_MAX);
  EXPECT_EQ(digits, "x");
}

TEST(Text, Globs) {
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("io-*", "io-thread"));
  EXPECT_FALSE(glob_matches("io-*", "aio-thread"));
  EXPECT_TRUE(glob_matches("*a*b*c", "xxaxxbxxbc"));
  EXPECT_FALSE(glob_matches("*a*b*c", "xxaxxbxxb"));
  EXPECT_TRUE(glob_matches("w?rker", "worker"));
  EXPECT_FALSE(glob_matches("w?rker", "wrker"));
  EXPECT_TRUE(glob_matches("\\*", "*"));
  EXPECT_FALSE(glob_matches("\\*", "x"));
  EXPECT_TRUE(glob_matches("a\\,b", "a,b"));
  EXPECT_FALSE(glob_matches("", "a"));
}

}  // namespace
}  // namespace tl
