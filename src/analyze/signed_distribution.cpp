#include <algorithm>

#include "analyze/report.h"

namespace tl::analyze {

namespace {

// 0 - magnitude, also for 2^63.
std::int64_t negated(std::uint64_t magnitude) { return static_cast<std::int64_t>(0 - magnitude); }

}  // namespace

void SignedDistribution::record(std::int64_t value) {
  if (value < 0)
    negative_.record(0 - static_cast<std::uint64_t>(value));
  else
    other_.record(static_cast<std::uint64_t>(value));
}

void SignedDistribution::add(const SignedDistribution& more) {
  negative_.add(more.negative_);
  other_.add(more.other_);
}

std::int64_t SignedDistribution::min() const {
  return negative_.count() > 0 ? negated(negative_.max()) : static_cast<std::int64_t>(other_.min());
}

std::int64_t SignedDistribution::max() const {
  return other_.count() > 0 ? static_cast<std::int64_t>(other_.max()) : negated(negative_.min());
}

double SignedDistribution::mean() const {
  if (count() == 0) return 0;
  const __int128 sum = static_cast<__int128>(other_.sum()) - static_cast<__int128>(negative_.sum());
  return static_cast<double>(sum) / static_cast<double>(count());
}

std::int64_t SignedDistribution::percentile(double percent) const {
  const std::uint64_t negatives = negative_.count() - negative_.unbinned();
  const std::uint64_t others = other_.count() - other_.unbinned();
  if (negatives + others == 0) return max();
  const std::uint64_t rank = hist::Histogram::rank_of(percent, negatives + others);
  std::int64_t value = max();
  if (rank > negatives) {
    std::uint64_t left = rank - negatives;
    other_.for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
      if (times < left) {
        left -= times;
        return true;
      }
      value = static_cast<std::int64_t>(
          std::min<std::uint64_t>(other_.buckets().highest_of(index), static_cast<std::uint64_t>(INT64_MAX)));
      return false;
    });
  } else {
    // By ascending magnitude the lowest comes last.
    std::uint64_t left = negatives - rank + 1;
    negative_.for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
      if (times < left) {
        left -= times;
        return true;
      }
      value = negated(negative_.buckets().lowest_of(index));
      return false;
    });
  }
  return std::min(value, max());
}

}  // namespace tl::analyze
