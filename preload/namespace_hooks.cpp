// A program of one thread may become a user namespace's first member, or change into another mount namespace. With the
// drain beside it the kernel would refuse, so the drain ends before such a call and starts again after it. What is
// recorded in between waits in the rings.

#include <errno.h>
#include <sched.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "namespaces.h"
#include "os/signals.h"
#include "os/syscall.h"

namespace {

#if !defined(CLONE_NEWTIME)
constexpr unsigned long CLONE_NEWTIME = 0x80;
#endif
constexpr unsigned long kUnsharedAlone = CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM;
constexpr unsigned long kEnteredAlone = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWTIME;

// No handler of the program runs meanwhile, whose first record would start a drain.
template <class Call>
long alone(Call call) {
  const tl::os::SignalsBlocked blocked;
  const bool stopped = tl::drain::step_aside();
  const long result = call();
  if (stopped) tl::drain::step_back();
  return result;
}

int as_libc_has_it(long result) {
  if (result >= 0) return static_cast<int>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

namespace tl::preload {

long unshare_alone(unsigned long flags) {
  const auto call = [=] { return os::call(SYS_unshare, flags); };
  return (flags & kUnsharedAlone) != 0 ? alone(call) : call();
}

// Kind 0: whatever the descriptor is of.
long setns_alone(int fd, int kind) {
  const auto call = [=] { return os::call(SYS_setns, fd, kind); };
  return kind == 0 || (static_cast<unsigned>(kind) & kEnteredAlone) != 0 ? alone(call) : call();
}

}  // namespace tl::preload

extern "C" {

TL_EXPORT int unshare(int flags) noexcept {
  return as_libc_has_it(tl::preload::unshare_alone(static_cast<unsigned>(flags)));
}
TL_EXPORT int setns(int fd, int kind) noexcept { return as_libc_has_it(tl::preload::setns_alone(fd, kind)); }

}  // extern "C"
