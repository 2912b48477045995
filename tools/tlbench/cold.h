// The first operation of fresh threads, in turn with that of a reference in other fresh threads.
#pragma once

#include "tlbench/cases.h"
#include "tlbench/measured.h"

namespace tl::tlbench {

// Adds what it begins to measured.begun.
void measure_cold(const Case& of, const Plan& plan, Work& work, Measured& measured);

}  // namespace tl::tlbench
