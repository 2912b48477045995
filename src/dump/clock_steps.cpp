#include "dump/clock_steps.h"

#include <bit>

namespace tl::dump {

StepFactors::StepFactors(double ticks) {
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(ticks)));  // of its whole part
  shift = 32 - bits;
  const double scaled = ticks * static_cast<double>(std::uint64_t{1} << shift) + 0.5;
  step = scaled < 0xffffffff ? static_cast<std::uint32_t>(scaled) : 0xffffffff;
  inverse_shift = 31 + bits - 1;
  inverse = static_cast<std::uint32_t>(static_cast<double>(std::uint64_t{1} << inverse_shift) / ticks);
}

void ClockSteps::expect(double least, double most) {
  if (!(least >= kLeastStep && most <= kMostStep && least <= most)) least = most = 0;
  expected_least_ = least_ = least;
  expected_most_ = most_ = most;
  origin_ = 0;
}

ClockSteps::Fits ClockSteps::narrow(std::uint64_t distance) {
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 46;  // some hours; beyond, doubles would round
  constexpr int kOff = 2;  // ticks: both stamps are rounded, and each may be one beside
  const auto ticks = static_cast<double>(distance);
  if (distance <= kOff) return Fits::yes;
  if (distance > kLongest) return Fits::ambiguous;
  const double fewest = (ticks - kOff) / most_,
               steps = static_cast<double>(static_cast<std::int64_t>((ticks + kOff) / least_));
  if (fewest > steps) return Fits::no;
  if (fewest <= steps - 1) return Fits::ambiguous;
  const double least = (ticks - kOff) / steps, most = (ticks + kOff) / steps;
  if (least > most_ || most < least_) return Fits::no;
  if (least > least_) least_ = least;
  if (most < most_) most_ = most;
  return Fits::yes;
}

void ClockSteps::learn(std::uint64_t distance) {
  if (expected()) narrow(distance);
}

void ClockSteps::learn(const RingRecord* records, std::uint32_t count) {
  if (!expected()) return;
  if (ignore_ > 0) return void(--ignore_);
  const std::uint64_t last = records[count - 1].ticks;
  Fits fits = Fits::ambiguous;
  if (origin_ != 0 && last >= origin_) fits = narrow(last - origin_);
  if (fits == Fits::ambiguous) {
    origin_ = records[0].ticks;
    for (std::uint32_t i = 1; i < count && fits != Fits::no; ++i)
      if (records[i].ticks >= origin_) fits = narrow(records[i].ticks - origin_);
  }
  if (fits == Fits::yes) return;
  // Clocks of two processors that are not at one, or a machine that moved to another: begin again. Or not exact enough
  // yet for what lies between these. Either way not too often.
  if (fits == Fits::no) expect(expected_least_, expected_most_);
  constexpr std::uint32_t kMostIgnored = 1023;
  ignored_ = ignored_ < kMostIgnored ? 2 * ignored_ + 1 : kMostIgnored;
  ignore_ = ignored_;
}

}  // namespace tl::dump
