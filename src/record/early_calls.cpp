#include "record/early_calls.h"

#include <cstring>

namespace tl::record {

namespace {
struct EarlyCalls {
  std::uint64_t calls[kAllocCalls][kSizeClasses];
  std::uint64_t bytes, failed;
};
constinit EarlyCalls early{};
}  // namespace

void count_early_call(AllocCall call, std::uint64_t bytes, bool failed) {
  __atomic_fetch_add(&early.calls[static_cast<unsigned>(call)][size_class_of(bytes)], 1, __ATOMIC_RELAXED);
  if (failed)
    __atomic_fetch_add(&early.failed, 1, __ATOMIC_RELAXED);
  else
    __atomic_fetch_add(&early.bytes, bytes, __ATOMIC_RELAXED);
}

void add_early_calls(shm::ThreadSlot& slot) {
  for (unsigned call = 0; call < kAllocCalls; ++call)
    for (unsigned k = 0; k < kSizeClasses; ++k) slot.calls[call][k] += early.calls[call][k];
  slot.alloc_bytes += early.bytes;
  slot.alloc_failed += early.failed;
  forget_early_calls();
}

void forget_early_calls() { std::memset(&early, 0, sizeof early); }

}  // namespace tl::record
