// Where libtelemetry.so is that belongs to this tool.
#pragma once

#include <string>

namespace tl::cli {

// The directory that the running program lies in.
std::string own_directory();

// libtelemetry.so beside the tool (build tree) or in ../lib (installed). Empty: `error` says why.
std::string find_library(std::string& error);

// A path as TL_OUTPUT takes it: percent signs are doubled.
std::string as_output(const std::string& path);

}  // namespace tl::cli
