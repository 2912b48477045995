// Long runs of an operation in turn with equally many of its reference.
#pragma once

#include <csignal>
#include <cstdint>
#include <span>

#include "tlbench/cases.h"
#include "tlbench/measured.h"

namespace tl::tlbench {

// Operations between two stamps: so many that the stamps do not count, so few that the slowest hundredth of the batches
// shows what happens now and then.
constexpr std::uint32_t kBatch = 1024;

// Set by a signal: end soon, and in an orderly way.
extern volatile std::sig_atomic_t stop_asked;

struct Times {
  double wall = 0, cpu = 0;  // seconds
};
// Runs as many batches as `ticks` has places, and puts the ticks of each there.
Times run_batches(Operation operation, Work& work, std::span<std::uint64_t> ticks);

// Adds what it begins to measured.begun. `work` belongs to the calling thread, which has recorded before.
void measure_slices(const Case& of, const Plan& plan, Work& work, Measured& measured);

// The calling thread to plan.cpus[index], modulo their number; empty: nothing.
void pin(const Plan& plan, std::size_t index);

}  // namespace tl::tlbench
