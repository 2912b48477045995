// Where things are, and how a path is shown so that it can be typed.
#pragma once

#include <cstdint>
#include <string>

namespace tlrun {

// A tool that stands beside tlrun, as short as it can be typed here.
std::string beside_or_on_path(const std::string& tool);

// TL_OUTPUT with the working directory in front, whose percent signs are doubled.
std::string absolute_pattern(const std::string& output);

std::string shortened(const std::string& path);  // without the working directory in front
std::string quoted(const std::string& word);     // for a shell, where needed
std::string size_in_words(std::uint64_t bytes);

}  // namespace tlrun
