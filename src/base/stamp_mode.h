// How a stamp is taken, from cheap to strict. A record keeps the modes of its two stamps.
#pragma once

#include <cstdint>

namespace tl {

enum class StampMode : std::uint8_t {
  fast = 0,  // rdtsc: the processor may move it among the instructions around it
  mid = 1,   // rdtscp: waits for the instructions before it
  hard = 2,  // rdtscp with an lfence towards what is measured: nothing of that runs outside, nothing else within
};
constexpr unsigned kStampModes = 3;

}  // namespace tl
