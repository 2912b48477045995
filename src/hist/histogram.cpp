#include "hist/histogram.h"

#include <cmath>

namespace tl::hist {

namespace {
double signed_distance(std::uint64_t value, std::uint64_t origin) {
  return value >= origin ? static_cast<double>(value - origin) : -static_cast<double>(origin - value);
}
}  // namespace

std::uint64_t* Histogram::counter(std::uint32_t index) {
  if (top_ == nullptr) {
    if (memory_.get == nullptr) return nullptr;
    top_ = static_cast<Node**>(memory_.get(memory_.context, tops() * sizeof(Node*)));
    if (top_ == nullptr) return nullptr;
  }
  Node*& node = top_[index / (kPage * kFan)];
  if (node == nullptr) node = static_cast<Node*>(memory_.get(memory_.context, sizeof(Node)));
  if (node == nullptr) return nullptr;
  std::uint64_t*& page = node->page[index / kPage % kFan];
  if (page == nullptr) page = static_cast<std::uint64_t*>(memory_.get(memory_.context, kPage * sizeof(std::uint64_t)));
  return page == nullptr ? nullptr : page + index % kPage;
}

void Histogram::spread(std::uint64_t value, std::uint64_t times) {
  if (spread_count_ == 0) origin_ = value;
  spread_count_ += times;
  const double distance = signed_distance(value, origin_);
  distance_ += distance * static_cast<double>(times);
  distance_squared_ += distance * distance * static_cast<double>(times);
}

void Histogram::record(std::uint64_t value, std::uint64_t times) {
  if (times == 0) return;
  count_ += times;
  sum_ += static_cast<unsigned __int128>(value) * times;
  min_ = value < min_ ? value : min_;
  max_ = value > max_ ? value : max_;
  spread(value, times);
  if (std::uint64_t* here = counter(buckets_.index_of(value))) {
    *here += times;
    binned_ += times;
  }
}

void Histogram::add(const Histogram& other) {
  if (other.count_ == 0) return;
  other.for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
    const std::uint32_t here = buckets_ == other.buckets_ ? index : buckets_.index_of(other.buckets_.highest_of(index));
    if (std::uint64_t* mine = counter(here)) {
      *mine += times;
      binned_ += times;
    }
    return true;
  });
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = other.min_ < min_ ? other.min_ : min_;
  max_ = other.max_ > max_ ? other.max_ : max_;
  if (other.spread_count_ == 0) return;
  if (spread_count_ == 0) origin_ = other.origin_;
  const double shift = signed_distance(other.origin_, origin_);
  const double n = static_cast<double>(other.spread_count_);
  spread_count_ += other.spread_count_;
  distance_ += other.distance_ + n * shift;
  distance_squared_ += other.distance_squared_ + 2 * shift * other.distance_ + n * shift * shift;
}

void Histogram::load_bucket(std::uint32_t index, std::uint64_t times) {
  if (index >= buckets_.count() || times == 0) return;
  const std::uint64_t lowest = buckets_.lowest_of(index);
  spread(lowest + (buckets_.highest_of(index) - lowest) / 2, times);
  if (std::uint64_t* here = counter(index)) {
    *here += times;
    binned_ += times;
  }
}

void Histogram::load_totals(std::uint64_t count, unsigned __int128 sum, std::uint64_t min, std::uint64_t max) {
  if (count == 0) return;
  count_ += count;
  sum_ += sum;
  min_ = min < min_ ? min : min_;
  max_ = max > max_ ? max : max_;
}

double Histogram::mean() const { return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_); }

double Histogram::stddev() const {
  if (spread_count_ == 0) return 0;
  const double n = static_cast<double>(spread_count_);
  const double mean_distance = distance_ / n;
  const double variance = distance_squared_ / n - mean_distance * mean_distance;
  return variance > 0 ? std::sqrt(variance) : 0;
}

std::uint64_t Histogram::rank_of(double percent, std::uint64_t samples) {
  if (!(percent > 0)) percent = 0;
  if (percent > 100) percent = 100;
  // 99.9 % of 1,000 is 999.0000000000001 in doubles; a sample more than asked for would be a wrong rank. So the product
  // is taken down by what its own rounding can be before the ceiling.
  const double exact = percent / 100 * static_cast<double>(samples);
  double rank = std::ceil(exact - exact * 4e-16);
  if (rank < 1) rank = 1;
  return rank >= static_cast<double>(samples) ? samples : static_cast<std::uint64_t>(rank);
}

std::uint64_t Histogram::percentile(double percent) const {
  if (binned_ == 0) return max_;  // nothing but samples without a bucket: the maximum is all that is known
  std::uint64_t wanted = rank_of(percent, binned_);
  std::uint64_t value = max_;
  for_each_bucket([&](std::uint32_t index, std::uint64_t times) {
    if (times < wanted) {
      wanted -= times;
      return true;
    }
    value = buckets_.highest_of(index);
    return false;
  });
  return value < max_ ? value : max_;
}

}  // namespace tl::hist
