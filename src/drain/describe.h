// What the dump says of the process: program, command, host, clock, where the dump goes.
#pragma once

#include "base/setting_values.h"
#include "shm/layout.h"

namespace tl::drain {

// What stays the same in fork children; taken once, at start, since argv may be overwritten later.
struct Origin {
  char program[kProgramNameBytes + 1];
  char command[sizeof shm::Control::command];
  std::uint32_t command_bytes, command_cut;
  char output_pattern[kMaxPathBytes];  // absolute
  Follow follow;
  std::uint32_t pid, parent_pid;  // at the process's start: a parent may be gone when its child records
};

// The program's name as it was started.
void remember_program(int argc, char** argv, Origin& origin);
// The rest of what is known at start.
void remember_origin(int argc, char** argv, const char* output_pattern, Origin& origin);
// In the child of a fork.
void become_child(Origin& origin);
// TL_OUTPUT with its %-words replaced for this process.
void resolve_output(const Origin& origin, std::uint64_t start_unix_ns, char* out, std::size_t capacity);
// Fills in the control page of a recording that starts now.
void describe_process(const Origin& origin, shm::Control& control);

shm::Anchor take_anchor();

}  // namespace tl::drain
