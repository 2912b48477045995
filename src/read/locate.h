// From a path to bytes: the file, and what its process still holds in shared memory.
#pragma once

#include <string>

#include "read/source.h"

namespace tl::read {

struct Located {
  Source file;
  bool has_file = false;
  Source memory;         // blocks that are not in the file; empty: none
  bool running = false;  // the process lives
};

// Finds what a process left whose dump is, or would have been, `path`. Of a dead one the rest is written into the dump
// first, where that is possible; a living one is only looked at. Empty, or why there is nothing to read.
std::string locate(const std::string& path, Located& out);

}  // namespace tl::read
