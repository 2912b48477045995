// An HdrHistogram (Gil Tene, http://hdrhistogram.org) of unsigned numbers in any unit, with memory from its caller.
//
//   H1  count(), min(), max() and the mean are exact, whatever the digits.
//   H2  a percentile is the highest value equivalent to the sample at the ceil-rank, clipped to the exact maximum.
//   H3  where no memory was to be had, the sample counts in H1 and in unbinned(), and percentiles go by the others.
//
// A histogram is a handle on its pages: it owns nothing, copies share the pages, and all goes when the caller's memory
// goes. Not thread-safe. Counters lie in pages of 64 behind two levels of pointers, so one that saw a single value
// costs about 1 KiB and a wide one what its range needs: a report of 20,000 threads has as many histograms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hist/buckets.h"

namespace tl::hist {

// Where pages come from: zeroed, aligned to 8 bytes, null if there are no more. Never given back one by one.
struct Memory {
  void* (*get)(void* context, std::size_t bytes) = nullptr;
  void* context = nullptr;
};

class Histogram {
 public:
  Histogram() = default;  // empty for ever
  explicit Histogram(Memory memory, unsigned digits = 3) : memory_(memory), buckets_(digits) {}

  void record(std::uint64_t value, std::uint64_t times = 1);
  // The other's samples too. Bucket by bucket where the digits agree, else by the highest value of each bucket.
  void add(const Histogram& other);

  // For a histogram that arrives as buckets and totals: first the buckets, then what is known exactly about all of
  // them.
  void load_bucket(std::uint32_t index, std::uint64_t times);
  void load_totals(std::uint64_t count, unsigned __int128 sum, std::uint64_t min, std::uint64_t max);

  std::uint64_t count() const { return count_; }
  std::uint64_t unbinned() const { return count_ - binned_; }
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  unsigned __int128 sum() const { return sum_; }
  double mean() const;
  double stddev() const;  // of the population
  // 0 to 100; 0 if the histogram is empty.
  std::uint64_t percentile(double percent) const;
  // Which of `samples` in ascending order, from 1, a percentile is about: the ceil-rank.
  static std::uint64_t rank_of(double percent, std::uint64_t samples);
  const Buckets& buckets() const { return buckets_; }

  // Calls each(index, times) for every bucket that holds samples, in ascending order, until it returns false.
  template <class Each>
  void for_each_bucket(Each each) const {
    if (top_ == nullptr) return;
    for (std::uint32_t t = 0; t < tops(); ++t) {
      if (top_[t] == nullptr) continue;
      for (std::uint32_t n = 0; n < kFan; ++n) {
        const std::uint64_t* page = top_[t]->page[n];
        for (std::uint32_t i = 0; page != nullptr && i < kPage; ++i)
          if (page[i] != 0 && !each((t * kFan + n) * kPage + i, page[i])) return;
      }
    }
  }

 private:
  static constexpr std::uint32_t kPage = 64;  // counters
  static constexpr std::uint32_t kFan = 32;   // pages
  struct Node {
    std::uint64_t* page[kFan];
  };

  std::uint32_t tops() const { return buckets_.count() / (kPage * kFan) + 1; }
  std::uint64_t* counter(std::uint32_t index);
  void spread(std::uint64_t value, std::uint64_t times);

  Memory memory_;
  Buckets buckets_;
  Node** top_ = nullptr;
  std::uint64_t count_ = 0, binned_ = 0, min_ = UINT64_MAX, max_ = 0;
  unsigned __int128 sum_ = 0;
  // For the deviation: sums of distances from the first sample and of their squares, so that a narrow spread far from
  // zero does not drown in rounding. Their own count, since loaded totals have no squares.
  std::uint64_t origin_ = 0, spread_count_ = 0;
  double distance_ = 0, distance_squared_ = 0;
};

}  // namespace tl::hist
