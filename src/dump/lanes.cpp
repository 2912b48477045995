#include "dump/lanes.h"

#include <atomic>

namespace tl::dump {

const LaneCode& best_lanes() {
  static constinit std::atomic<const LaneCode*> best{nullptr};
  const LaneCode* code = best.load(std::memory_order_relaxed);  // whoever asks finds the same constant
  if (code == nullptr) {
    code = avx2_lanes();
    if (code == nullptr) code = &kBaselineLanes;
    best.store(code, std::memory_order_relaxed);
  }
  return *code;
}

}  // namespace tl::dump
