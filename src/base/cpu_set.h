// CPUs by number, as the kernel's affinity calls take them.
#pragma once

#include <cstdint>

#include "base/limits.h"

namespace tl {

struct CpuSet {
  std::uint64_t words[kMaxCpus / 64];
  void add(std::uint64_t cpu) { words[cpu / 64] |= std::uint64_t{1} << cpu % 64; }
  bool has(std::uint64_t cpu) const { return (words[cpu / 64] >> cpu % 64 & 1) != 0; }
};

}  // namespace tl
