// Who and where a process is: what makes a recording's origin certain after the process is gone.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::os {

std::uint32_t pid();
std::uint32_t thread_id();
std::uint32_t user_id();
std::uint64_t pid_namespace();  // inode of the pid namespace, 0 if /proc does not tell
bool boot_id(unsigned char (&id)[16]);
void host_name(char* buffer, std::size_t capacity);

// Field 22 of /proc/PID/stat (clock ticks since boot); 0 if there is no such process or /proc is hidden. pid 0: this
// one.
std::uint64_t process_start(std::uint32_t pid);
// Field 4, likewise.
std::uint32_t parent_of(std::uint32_t pid);
// As process_start, and whether the process is a zombie or dead.
std::uint64_t process_start(std::uint32_t pid, bool& ended);

// Whether the process's first thread is a zombie and, beside it, there is no thread but the caller (who is not the
// first); then also with what status the first one left.
bool only_the_caller_is_left(int& exit_status);

std::uint64_t realtime_ns();

}  // namespace tl::os
