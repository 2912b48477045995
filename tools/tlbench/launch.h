// Runs a case in processes of its own, and checks its dump against what it says that it did.
#pragma once

#include <string>

#include "tlbench/cases.h"
#include "tlbench/outcome.h"

namespace tl::tlbench {

// `library`: to be preloaded, where the case wants it.
Outcome run_case(const Suite& suite, const Case& of, const Plan& plan, const std::string& library);

}  // namespace tl::tlbench
