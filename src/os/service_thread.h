// A thread that libc does not know of.
#pragma once

#include <cstdint>

namespace tl::os {

// Starts `body` on a thread of its own, made by clone: glibc neither counts it (so a main that leaves by pthread_exit
// still ends the process, and __libc_single_threaded stays true, which keeps malloc and stdio on their fast paths:
// shown by tests/life) nor gives it thread-local storage. So `body` and all it calls may use raw system calls, memory
// and libc's pure functions only: no errno, no malloc, no stdio, no locks of libc. All signals but glibc's own are
// blocked. Returns the kernel's thread id or negative errno. The thread ends the process never; it returns, and its
// stack stays in `memory` until somebody has joined it.
int start_service_thread(int (*body)(void*), void* argument, const char* name, void*& memory);

// Waits until the thread, which is on its way out, has gone for the kernel as well, and gives its stack back. False:
// not within `patience_ns`.
bool join_service_thread(int tid, void* memory, std::uint64_t patience_ns);

}  // namespace tl::os
