// The process in which a case is measured: this tool once more, with the library under it or without.
#pragma once

#include <string>
#include <vector>

namespace tl::tlbench {

constexpr char kWorkerArgument[] = "--worker";  // first of its arguments; those that follow are launch.cpp's

// Measures and writes the result into the descriptor that the arguments name. Returns the exit status.
int work(const std::vector<std::string>& arguments);

}  // namespace tl::tlbench
