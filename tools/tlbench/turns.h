// Series that are taken in turn, slice by slice, as many operations of each: what slows the machine for a while slows
// all of a round.
#pragma once

#include <functional>
#include <vector>

#include "tlbench/measured.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

constexpr std::size_t kMostBatches = std::size_t{1} << 20;  // of a slice

struct Lane {
  Series& series;
  // Runs as many batches as there are places, and puts the ticks of each there.
  std::function<Times(std::vector<std::uint64_t>& ticks)> take;
  std::vector<double> batches = {};
};

// Fills the lanes' series and the sizes of slice and batch. `seconds`: of the rounds, after some trials.
// `longest_slice`: in seconds; shorter where the time allows too few rounds for a median.
void take_in_turn(std::vector<Lane>& lanes, double seconds, double longest_slice, Measured& measured);

}  // namespace tl::tlbench
