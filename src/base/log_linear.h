// The bucket arithmetic of an HdrHistogram with 3 significant digits and a lowest value of 1 (Gil Tene,
// http://hdrhistogram.org): exact below 2,048, then 1,024 buckets for each doubling, so a value is known to 1 part in
// 1,024. Shared by the recorder's latency counters and the reader's histograms, so that their buckets are the same.
#pragma once

#include <cstdint>

namespace tl::log_linear {

constexpr unsigned kSubBucketBits = 11;
constexpr std::uint64_t kSubBuckets = 1u << kSubBucketBits;
constexpr std::uint64_t kHalf = kSubBuckets / 2;

constexpr std::uint32_t index_of(std::uint64_t value) {
  const unsigned doublings =
      63u - static_cast<unsigned>(__builtin_clzll(value | (kSubBuckets - 1))) - (kSubBucketBits - 1);
  return static_cast<std::uint32_t>(doublings * kHalf + (value >> doublings));
}

// The smallest value of a bucket, and how many values share it.
constexpr std::uint64_t lowest_of(std::uint32_t index) {
  if (index < kSubBuckets) return index;
  const unsigned doublings = index / kHalf - 1;
  return (index - doublings * kHalf) << doublings;
}
constexpr std::uint64_t width_of(std::uint32_t index) {
  return index < kSubBuckets ? 1 : std::uint64_t{1} << (index / kHalf - 1);
}
constexpr std::uint64_t highest_of(std::uint32_t index) { return lowest_of(index) + width_of(index) - 1; }

constexpr std::uint32_t kBuckets = index_of(UINT64_MAX) + 1;

static_assert(index_of(2047) == 2047 && index_of(2048) == 2048 && index_of(2049) == 2048 && index_of(2050) == 2049);
static_assert(lowest_of(2049) == 2050 && highest_of(2049) == 2051 && highest_of(kBuckets - 1) == UINT64_MAX);

}  // namespace tl::log_linear
