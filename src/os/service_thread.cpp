#include "os/service_thread.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "os/signals.h"
#include "os/syscall.h"

namespace tl::os {

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kThreadBlockBytes = 8192;

struct Start {
  int (*body)(void*);
  void* argument;
  const char* name;
};

int enter(void* start_address) {
  const Start start = *static_cast<Start*>(start_address);
  call(SYS_prctl, PR_SET_NAME, start.name);
  return start.body(start.argument);
}

}  // namespace

int start_service_thread(int (*body)(void*), void* argument, const char* name, void*& memory_out) {
  const long mapped = call(SYS_mmap, 0, kStackBytes + kThreadBlockBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped < 0 && mapped > -4096) return static_cast<int>(mapped);
  auto* memory = reinterpret_cast<unsigned char*>(mapped);
  // The thread pointer's block: code compiled with a stack protector reads its guard from there; the x86-64 ABI wants
  // the block's own address in its first word. Zero everywhere else.
  auto** thread_block = reinterpret_cast<void**>(memory + kStackBytes + kThreadBlockBytes / 2);
  thread_block[0] = thread_block;
  auto* start = reinterpret_cast<Start*>(memory + kStackBytes + kThreadBlockBytes - sizeof(Start));
  *start = Start{body, argument, name};

  // Blocked before the thread exists, so that no handler of the program ever runs on it.
  const SignalsBlocked blocked;
  const int saved_errno = errno;
  const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
  const int tid = ::clone(enter, memory + kStackBytes, flags, start, nullptr, thread_block, nullptr);
  const int failure = tid < 0 ? -errno : 0;
  errno = saved_errno;
  if (tid < 0) {
    call(SYS_munmap, mapped, kStackBytes + kThreadBlockBytes);
    return failure;
  }
  memory_out = memory;
  return tid;
}

bool join_service_thread(int tid, void* memory, std::uint64_t patience_ns) {
  constexpr std::uint64_t kLookNs = 50'000;
  const timespec pause{0, kLookNs};
  for (std::uint64_t waited_ns = 0; call(SYS_tgkill, call(SYS_getpid), tid, 0) != -ESRCH; waited_ns += kLookNs) {
    if (waited_ns >= patience_ns) return false;
    call(SYS_nanosleep, &pause, 0);
  }
  call(SYS_munmap, memory, kStackBytes + kThreadBlockBytes);
  return true;
}

}  // namespace tl::os
