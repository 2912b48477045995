#include "clock/convert.h"

#include <gtest/gtest.h>

namespace tl::clock {
namespace {

TEST(Converter, InterpolatesBetweenAnchorsAndExtendsTheirLine) {
  const Converter clock({{1000, 100, 0, 10}, {3000, 1100, 0, 10}, {7000, 3100, 0, 30}}, false);
  EXPECT_TRUE(clock.rate_known());
  EXPECT_DOUBLE_EQ(clock.ns_per_tick(), 0.5);
  EXPECT_DOUBLE_EQ(clock.ns_at(1000), 0);
  EXPECT_DOUBLE_EQ(clock.ns_at(2000), 500);
  EXPECT_DOUBLE_EQ(clock.ns_at(9000), 4000);
  EXPECT_DOUBLE_EQ(clock.ns_at(0), -500);
  EXPECT_DOUBLE_EQ(clock.duration_ns(6000, 10), 5);
  EXPECT_DOUBLE_EQ(clock.duration_ns(6000, 4000), 2000);
  EXPECT_DOUBLE_EQ(clock.error_ppm(), 20.0 / 6000 * 1e6);
}

TEST(Converter, FollowsARateThatChanges) {
  const Converter clock({{0, 0, 0, 1}, {1000000, 1000000, 0, 1}, {2000000, 3000000, 0, 1}}, false);
  EXPECT_DOUBLE_EQ(clock.duration_ns(900000, 1000), 1000);
  EXPECT_DOUBLE_EQ(clock.duration_ns(1900000, 1000), 2000);
  EXPECT_DOUBLE_EQ(clock.duration_ns(1500000, 1000000), 500000 + 1000000);  // over the anchor
  EXPECT_FALSE(clock.complaint().empty());
}

TEST(Converter, ANanosecondClockNeedsNoAnchors) {
  const Converter clock({}, true);
  EXPECT_TRUE(clock.rate_known());
  EXPECT_EQ(clock.duration_ns(500, 123), 123);
  EXPECT_TRUE(clock.complaint().empty());
}

TEST(Converter, OneAnchorIsNoRate) {
  const Converter clock({{5, 5, 0, 1}}, false);
  EXPECT_FALSE(clock.rate_known());
  EXPECT_LT(clock.error_ppm(), 0);
  EXPECT_NE(clock.complaint().find("times are in ticks"), std::string::npos);
}

TEST(Converter, AnchorsThatGoBackAreLeftOutAndCounted) {
  const Converter clock(
      {{1000, 1000, 0, 1}, {2000, 500, 0, 1}, {2000, 500, 0, 1}, {3000, 3000, 0, 1}, {3000, 3000, 0, 1}}, false);
  EXPECT_EQ(clock.anchors_left_out(), 2u);
  EXPECT_DOUBLE_EQ(clock.ns_per_tick(), 1);
  EXPECT_FALSE(clock.complaint().empty());
}

TEST(Converter, ARateThatNoProcessorHasIsRefused) {
  for (const auto& anchors :
       {std::vector<TickAnchor>{{0, 0, 0, 0}, {1, UINT64_MAX, 0, 0}}, {{0, 0, 0, 0}, {UINT64_MAX, 1, 0, 0}}}) {
    const Converter clock(anchors, false);
    EXPECT_FALSE(clock.rate_known());
    EXPECT_EQ(clock.ns_per_tick(), 1);
    EXPECT_FALSE(clock.complaint().empty());
  }
}

}  // namespace
}  // namespace tl::clock
