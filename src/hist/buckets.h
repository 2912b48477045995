// The bucket arithmetic of an HdrHistogram with 2 to 5 significant digits and a lowest value of 1. With 3 digits it is
// that of base/log_linear.h, which the recorder's counters use.
#pragma once

#include <cstdint>

namespace tl::hist {

class Buckets {
 public:
  // `digits` outside 2 to 5 is taken to the nearest of them.
  constexpr explicit Buckets(unsigned digits = 3) : bits_(bits_of(digits)) {}

  constexpr std::uint32_t index_of(std::uint64_t value) const {
    const std::uint64_t exact = (std::uint64_t{1} << bits_) - 1;  // values up to here have a bucket each
    const unsigned doublings = 63u - static_cast<unsigned>(__builtin_clzll(value | exact)) - (bits_ - 1);
    return static_cast<std::uint32_t>((std::uint64_t{doublings} << (bits_ - 1)) + (value >> doublings));
  }
  // Smallest and largest value of a bucket; all of them are equivalent.
  constexpr std::uint64_t lowest_of(std::uint32_t index) const {
    const unsigned doublings = doublings_of(index);
    return (index - (std::uint64_t{doublings} << (bits_ - 1))) << doublings;
  }
  constexpr std::uint64_t highest_of(std::uint32_t index) const {
    return lowest_of(index) + ((std::uint64_t{1} << doublings_of(index)) - 1);
  }
  constexpr std::uint32_t count() const { return index_of(UINT64_MAX) + 1; }
  constexpr bool operator==(const Buckets& other) const { return bits_ == other.bits_; }

 private:
  // Smallest power of two that is at least twice ten to the digits: 8, 11, 15, 18 bits.
  static constexpr unsigned bits_of(unsigned digits) {
    constexpr unsigned bits[] = {8, 11, 15, 18};
    return bits[digits < 2 ? 0 : digits > 5 ? 3 : digits - 2];
  }
  constexpr unsigned doublings_of(std::uint32_t index) const {
    const std::uint32_t halves = index >> (bits_ - 1);
    return halves < 2 ? 0 : halves - 1;
  }

  unsigned bits_;  // of the values that have a bucket each
};

}  // namespace tl::hist
