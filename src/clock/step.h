// The step of a clock: it moves by multiples of this. Some counters count in ones and yet move in leaps (a time stamp
// counter of 2.6 GHz that is brought up to date 100 million times a second shows differences of 0, 26, 52, ... and,
// where two clocks meet, one more or less).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace tl::clock {

// From differences between stamps taken after delays of every short length. Sorts them. Not less than 1, if any is not
// 0.
inline std::uint64_t step_of(std::uint64_t* differences, std::size_t count) {
  std::sort(differences, differences + count);
  std::uint64_t divisor = 0;
  for (std::size_t i = 0; i < count; ++i) divisor = std::gcd(divisor, differences[i]);

  // Heaps of neighbouring values that hold at least 1 in 200; a leap puts them at multiples of itself.
  constexpr std::uint64_t kWidth = 2, kLeastLeap = 8;
  constexpr std::size_t kMaxHeaps = 16;
  std::uint64_t heaps[kMaxHeaps];
  std::size_t found = 0;
  for (std::size_t from = 0, to; from < count && found < kMaxHeaps; from = to) {
    for (to = from + 1; to < count && differences[to] - differences[to - 1] <= kWidth;) ++to;
    if ((to - from) * 200 >= count && differences[from] > kWidth) heaps[found++] = differences[(from + to) / 2];
  }
  if (found < 2 || heaps[0] < kLeastLeap) return divisor;
  std::uint64_t leap = heaps[0];
  for (std::size_t i = 1; i < found; ++i) leap = std::min(leap, heaps[i] - heaps[i - 1]);
  if (leap < kLeastLeap) return divisor;
  for (std::size_t i = 0; i < found; ++i) {
    const std::uint64_t beyond = heaps[i] % leap;
    if (std::min(beyond, leap - beyond) > kWidth * (heaps[i] / leap + 1)) return divisor;
  }
  return std::max(leap, divisor);
}

// Of a clock that is asked `count` times, after such delays; the differences stay in `room`.
template <class Clock>
std::uint64_t measured_step(Clock clock, std::uint64_t* room, std::size_t count) {
  std::uint64_t last = clock();
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t delay = i % 17; delay > 0; --delay) asm volatile("");
    const std::uint64_t now = clock();
    room[i] = now - last;
    last = now;
  }
  return step_of(room, count);
}

}  // namespace tl::clock
