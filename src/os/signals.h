// All signals kept off this thread for a while, so that nothing of the program runs in between, and a signal that our
// own doing would bring (SIGXFSZ at a limit on file sizes) can be taken away unseen.
#pragma once

#include <signal.h>
#include <time.h>

#include <cstdint>

#include "os/syscall.h"

namespace tl::os {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    const std::uint64_t all = ~std::uint64_t{0};
    call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof all);
  }
  ~SignalsBlocked() { call(SYS_rt_sigprocmask, SIG_SETMASK, &before_, 0, sizeof before_); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  std::uint64_t before_ = 0;
};

// Takes a pending signal of this thread away, while it is blocked.
inline void discard_signal(int signal_number) {
  const std::uint64_t set = std::uint64_t{1} << (signal_number - 1);
  const timespec none{};
  call(SYS_rt_sigtimedwait, &set, 0, &none, sizeof set);
}

}  // namespace tl::os
