// Anchors in memory that does not grow with the recording: they come once a second, and the clock between two of them
// that lie minutes apart is as straight. The first and the last two are always there, since a rate and an end go by
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "clock/convert.h"

namespace tl::read {

class Anchors {
 public:
  void add(const clock::TickAnchor& anchor) {
    if (seen_++ % stride_ == 0) {
      if (kept_.size() == kMost) {
        for (std::size_t i = 0; i < kMost / 2; ++i) kept_[i] = kept_[2 * i];
        kept_.resize(kMost / 2);
        stride_ *= 2;
      }
      kept_.push_back(anchor);
    }
    last_[0] = std::exchange(last_[1], anchor);
  }
  std::uint64_t seen() const { return seen_; }
  // The last ones may stand twice in it.
  std::vector<clock::TickAnchor> all() const {
    std::vector<clock::TickAnchor> out = kept_;
    if (seen_ > 1) out.push_back(last_[0]);
    if (seen_ > 0) out.push_back(last_[1]);
    return out;
  }

 private:
  static constexpr std::size_t kMost = 8192;
  std::vector<clock::TickAnchor> kept_;
  clock::TickAnchor last_[2];
  std::uint64_t seen_ = 0, stride_ = 1;
};

}  // namespace tl::read
