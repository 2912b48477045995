// An operation without a break for as long as the plan says, beside a reference that is taken before and after: rests
// in between would be the drain's.
#pragma once

#include "tlbench/cases.h"
#include "tlbench/measured.h"

namespace tl::tlbench {

// Both add what they begin to measured.begun.
void measure_stretch(const Case& of, const Plan& plan, Work& work, Measured& measured);

// Items at their own rate until the plan's time is over; there is nothing to time.
void run_paced(const Case& of, const Plan& plan, Work& work, Measured& measured);

}  // namespace tl::tlbench
