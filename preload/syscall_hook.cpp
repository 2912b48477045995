// syscall(), for the calls behind libc's back that the recording must know of: a fork, whose child would write into its
// parent's rings, a filter of system calls, and changes of namespaces. All others go straight to the kernel. (A raw
// exit_group leaves its records in shared memory.)

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "limit_hooks.h"
#include "namespaces.h"
#include "os/syscall.h"

extern "C" {

TL_EXPORT long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  const long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
             e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_seccomp && (a == SECCOMP_SET_MODE_STRICT || a == SECCOMP_SET_MODE_FILTER))
    tl::drain::seal(a == SECCOMP_SET_MODE_STRICT);
  if (number == SYS_prlimit64) tl::preload::heed_limit(static_cast<int>(b), reinterpret_cast<const rlimit*>(c));
  if (number == SYS_mlockall) tl::preload::heed_mlockall(static_cast<int>(a));
#if defined(SYS_setrlimit)
  if (number == SYS_setrlimit) tl::preload::heed_limit(static_cast<int>(a), reinterpret_cast<const rlimit*>(b));
#endif
  const long result = number == SYS_unshare ? tl::preload::unshare_alone(static_cast<unsigned long>(a))
                      : number == SYS_setns ? tl::preload::setns_alone(static_cast<int>(a), static_cast<int>(b))
                                            : tl::os::raw_syscall(number, a, b, c, d, e, f);
  bool may_fork = number == SYS_clone || number == SYS_clone3;
#if defined(SYS_fork)
  may_fork = may_fork || number == SYS_fork;
#endif
  // A new thread, or a child that borrows the memory, is no fork; the kernel knows which process this is now.
  const bool shares_memory = number == SYS_clone && (a & CLONE_VM) != 0;
  if (may_fork && result == 0 && !shares_memory && !tl::drain::is_own_process()) tl::drain::on_fork_child();
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // extern "C"
