// Waiting and waking on a word, within this process.
#pragma once

#include <linux/futex.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "os/syscall.h"

namespace tl::os {

// Returns when the word is not `expected`, when woken, after the time, or for no reason.
template <class Word>
void futex_wait(std::atomic<Word>& word, std::type_identity_t<Word> expected, std::uint64_t timeout_ns) {
  static_assert(sizeof word == 4);
  timespec timeout{static_cast<time_t>(timeout_ns / 1000000000u), static_cast<long>(timeout_ns % 1000000000u)};
  call(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, &timeout);
}
template <class Word>
void futex_wake(std::atomic<Word>& word) {
  call(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

}  // namespace tl::os
