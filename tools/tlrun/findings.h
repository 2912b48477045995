// What a run left behind: dumps, and what dead processes could not write themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tlrun/launch.h"

namespace tlrun {

struct Dump {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint32_t pid = 0, parent_pid = 0, run_pid = 0;
  std::uint64_t start_unix_ns = 0, run_start = 0;
};

struct Findings {
  std::vector<Dump> dumps;              // of this run; those of the program itself first, then by start
  std::vector<std::string> unwritable;  // dumps that could not be written; their records are still in shared memory
  std::vector<Dump> running;            // of processes of this run that live on
};

// Writes the dumps of dead processes from shared memory, then looks for what belongs to this run: the program and its
// descendants. `output`: TL_OUTPUT as the program got it, absolute.
Findings look_for(const std::string& output, const Ended& ended);

}  // namespace tlrun
