// What the steps of a clock are, where they are no whole number of ticks or not quite even: the counter of a virtual
// machine is often the host's, scaled, and stands at multiples of, say, 25.96, rounded, or one beside. Times then are a
// number of steps and a rest of -1, 0 or 1, which takes a few bits less than their ticks.
#pragma once

#include <cstdint>

#include "dump/format.h"

namespace tl::dump {

// A step is step / 2^shift ticks, with all 32 bits of `step` in use, and inverse / 2^inverse_shift its inverse.
struct StepFactors {
  std::uint32_t step, inverse;
  unsigned shift, inverse_shift;
  explicit StepFactors(double ticks);  // of kLeastStep to kMostStep
  bool operator==(const StepFactors&) const = default;
};
constexpr double kLeastStep = 8, kMostStep = 1 << 20;
constexpr unsigned kRests = 3;
constexpr std::uint64_t kMostStepped = 0xffffffff;  // kRests x steps + rest

constexpr std::uint64_t steps_of(const StepFactors& factors, std::uint32_t ticks) {
  return (std::uint64_t{ticks} * factors.inverse + (std::uint64_t{1} << (factors.inverse_shift - 1))) >>
         factors.inverse_shift;
}
constexpr std::uint64_t ticks_of(std::uint32_t step, unsigned shift, std::uint64_t steps) {
  return (steps * step + (std::uint64_t{1} << (shift - 1))) >> shift;
}

// Finds the step, more and more exactly: what lies between two stamps is a whole number of steps, give or take two
// ticks, and tells the more the longer it is. One thread's.
class ClockSteps {
 public:
  // Where the step lies, as measured. It must be known well enough to count the steps between one record and the next.
  // Anything outside the accepted range: there are none.
  void expect(double least, double most);
  bool expected() const { return most_ != 0; }
  void learn(const RingRecord* records, std::uint32_t count);
  void learn(std::uint64_t distance);  // between any two stamps, the shorter ones first
  double least() const { return least_; }
  double most() const { return most_; }
  StepFactors factors() const { return StepFactors((least_ + most_) / 2); }

 private:
  enum class Fits { yes, ambiguous, no };
  Fits narrow(std::uint64_t distance);

  double expected_least_ = 0, expected_most_ = 0, least_ = 0, most_ = 0;
  std::uint64_t origin_ = 0;                // a stamp; 0: none yet
  std::uint32_t ignore_ = 0, ignored_ = 0;  // blocks, after one that contradicted
};

// Of a clock whose step is `about` as much to the next whole tick.
template <class Clock>
ClockSteps measured_steps(std::uint64_t about, Clock clock) {
  constexpr unsigned kStamps = 512;
  ClockSteps steps;
  steps.expect(static_cast<double>(about) - 1, static_cast<double>(about) + 1);
  const std::uint64_t first = clock();
  for (unsigned i = 0; i < kStamps; ++i) steps.learn(clock() - first);
  return steps;
}

}  // namespace tl::dump
