// Allocation sizes by powers of two: class 0 is a request of 0 bytes, class k holds (2^(k-2), 2^(k-1)], so class 1 is
// 1 byte, class 7 is 33 to 64 bytes. Pure arithmetic, no state: safe anywhere.
#pragma once

#include <cstdint>

namespace tl {

constexpr unsigned kSizeClasses = 48;  // the last one takes everything above 2^45 bytes, absurd requests included

constexpr unsigned size_class_of(std::uint64_t bytes) {
  if (bytes <= 1) return static_cast<unsigned>(bytes);
  const unsigned k = 65u - static_cast<unsigned>(__builtin_clzll(bytes - 1));
  return k < kSizeClasses ? k : kSizeClasses - 1;
}

// Smallest and largest request of a class, in bytes.
constexpr std::uint64_t size_class_first(unsigned k) { return k <= 1 ? k : (std::uint64_t{1} << (k - 2)) + 1; }
constexpr std::uint64_t size_class_last(unsigned k) {
  return k == 0 ? 0 : k + 1 == kSizeClasses ? UINT64_MAX : std::uint64_t{1} << (k - 1);
}

static_assert(size_class_of(0) == 0 && size_class_of(1) == 1 && size_class_of(2) == 2 && size_class_of(3) == 3);
static_assert(size_class_of(64) == 7 && size_class_of(65) == 8 && size_class_first(7) == 33 &&
              size_class_last(7) == 64);
static_assert(size_class_of(UINT64_MAX) == kSizeClasses - 1);

}  // namespace tl
