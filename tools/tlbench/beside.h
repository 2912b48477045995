// The allocator's callers side by side: one loop in three processes that take turns on the same CPUs, under the
// library, under the bare forwarder and under nothing.
#pragma once

#include <string>

#include "tlbench/cases.h"
#include "tlbench/outcome.h"

namespace tl::tlbench {

// `dump`: where the library is to write it.
Outcome run_beside(const Case& of, const Plan& plan, const std::string& library, const std::string& dump);

}  // namespace tl::tlbench
