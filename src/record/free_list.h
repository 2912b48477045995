// A lock-free stack of small numbers: any thread and any signal handler may push and pop. The head carries a count, so
// that a number which went and came back meanwhile is noticed (ABA).
#pragma once

#include <atomic>
#include <cstdint>

namespace tl::record {

template <std::uint32_t kNumbers>
class FreeList {
 public:
  void push(std::uint32_t number) {
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    std::uint64_t wanted;
    do {
      next_[number].store(static_cast<std::uint32_t>(head), std::memory_order_relaxed);
      wanted = ((head >> 32) + 1) << 32 | (number + 1);
    } while (!head_.compare_exchange_weak(head, wanted, std::memory_order_release, std::memory_order_relaxed));
  }
  bool pop(std::uint32_t& number) {
    std::uint64_t head = head_.load(std::memory_order_acquire);  // pairs with push
    std::uint64_t wanted;
    do {
      if (static_cast<std::uint32_t>(head) == 0) return false;
      number = static_cast<std::uint32_t>(head) - 1;
      wanted = ((head >> 32) + 1) << 32 | next_[number].load(std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, wanted, std::memory_order_acquire, std::memory_order_acquire));
    return true;
  }
  void clear() { head_.store(0, std::memory_order_relaxed); }  // while no other thread uses it

 private:
  std::atomic<std::uint64_t> head_;            // count, then number + 1 (0: empty)
  std::atomic<std::uint32_t> next_[kNumbers];  // number + 1 of the one below
};

}  // namespace tl::record
