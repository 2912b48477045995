#include "clock/anchor.h"

#include <gtest/gtest.h>
#include <time.h>

#include "clock/tsc.h"

namespace tl::clock {
namespace {

TEST(Anchor, TiesTicksToTheKernelsClock) {
  choose_clock(true);
  timespec before{}, after{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &before);
  const AnchorSample first = take_anchor();
  const AnchorSample second = take_anchor();
  clock_gettime(CLOCK_MONOTONIC_RAW, &after);
  const auto ns = [](const timespec& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
  };
  EXPECT_GE(first.raw_ns, ns(before));
  EXPECT_LE(second.raw_ns, ns(after));
  EXPECT_LT(first.ticks, second.ticks);
}

TEST(Anchor, WithoutAFitCounterATickIsANanosecond) {
  choose_clock(true);
  const bool fit = ticks_are_tsc;
  ticks_are_tsc = false;
  const std::uint64_t before = raw_ns(), stamp = ticks(), after = raw_ns();
  EXPECT_GE(stamp, before);
  EXPECT_LE(stamp, after);
  ticks_are_tsc = fit;
}

}  // namespace
}  // namespace tl::clock
