// Ticks into nanoseconds, from the anchors of a dump. Pure: no clock is read here.
//
// What it does not promise: anchors are samples, bracketed to some tens of ticks, so a time is known no better than the
// bracket and a rate no better than error_ppm(). Anchors may come from a crafted or damaged file: those that do not
// grow in both clocks are left out and counted, a rate that no processor has is refused, and complaint() says so.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::clock {

struct TickAnchor {
  std::uint64_t ticks = 0;
  std::uint64_t raw_ns = 0;   // CLOCK_MONOTONIC_RAW
  std::uint64_t real_ns = 0;  // CLOCK_REALTIME, 0: not read
  std::uint32_t bracket_ticks = 0;
};

class Converter {
 public:
  Converter() = default;
  // `ticks_are_ns`: the clock source is clock_gettime, and no anchor is needed for durations.
  Converter(std::vector<TickAnchor> anchors, bool ticks_are_ns) : ticks_are_ns_(ticks_are_ns) {
    keep_growing(std::move(anchors));
    measure();
  }

  bool rate_known() const { return ticks_are_ns_ || rate_known_; }
  // While the rate is not known 1, and everything called ns below is ticks.
  double ns_per_tick() const { return ns_per_tick_; }
  double ticks_per_ns() const { return 1 / ns_per_tick_; }
  // Bound of the rate's error by the brackets of the first and the last anchor; negative: not known.
  double error_ppm() const { return error_ppm_; }
  std::size_t anchors_left_out() const { return left_out_; }
  const std::vector<TickAnchor>& anchors() const { return anchors_; }
  // Empty, or what is wrong with the anchors in words.
  const std::string& complaint() const { return complaint_; }

  // Nanoseconds from the first anchor; negative before it.
  double ns_at(std::uint64_t ticks) const {
    if (anchors_.empty()) return static_cast<double>(ticks) * ns_per_tick_;
    const std::size_t i = segment_of(ticks);
    const TickAnchor& from = anchors_[i];
    const double base = static_cast<double>(from.raw_ns - anchors_.front().raw_ns);
    const double distance =
        ticks >= from.ticks ? static_cast<double>(ticks - from.ticks) : -static_cast<double>(from.ticks - ticks);
    return base + distance * slopes_[i];
  }

  // How long `duration` ticks that ended at `end` took. Within one pair of anchors it is exact arithmetic on the
  // duration; a longer one is the difference of two interpolated times.
  double duration_ns(std::uint64_t end, std::uint64_t duration) const {
    if (ticks_are_ns_ || anchors_.size() < 2) return static_cast<double>(duration) * ns_per_tick_;
    const std::size_t i = segment_of(end);
    const std::uint64_t begin = end - duration;
    if (duration > end || begin >= anchors_[i].ticks || i == 0) return static_cast<double>(duration) * rates_[i];
    return ns_at(end) - ns_at(begin);
  }

 private:
  // A processor's counter runs at 1 MHz (some ARM) to 100 GHz (none yet); beyond that the anchors are nonsense.
  static constexpr double kLeastTicksPerNs = 0.001, kMostTicksPerNs = 100;

  void keep_growing(std::vector<TickAnchor> all) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
    for (const TickAnchor& anchor : all) {
      if (anchors_.empty() || (anchor.ticks > anchors_.back().ticks && anchor.raw_ns > anchors_.back().raw_ns))
        anchors_.push_back(anchor);
      else if (anchor.ticks != anchors_.back().ticks || anchor.raw_ns != anchors_.back().raw_ns)
        ++left_out_;  // the same anchor twice is no contradiction
    }
  }

  void measure() {
    ns_per_tick_ = 1;
    if (anchors_.size() >= 2) {
      const TickAnchor &first = anchors_.front(), &last = anchors_.back();
      const double ticks = static_cast<double>(last.ticks - first.ticks);
      const double rate = static_cast<double>(last.raw_ns - first.raw_ns) / ticks;
      if (1 / rate >= kLeastTicksPerNs && 1 / rate <= kMostTicksPerNs) {
        rate_known_ = true;
        if (!ticks_are_ns_) ns_per_tick_ = rate;
        error_ppm_ = (first.bracket_ticks / 2.0 + last.bracket_ticks / 2.0) / ticks * 1e6;
      } else {
        complaint_ =
            "the clock anchors give a rate that no processor has, so the tick rate is not known; times are in ticks";
        anchors_.clear();
      }
    } else if (!ticks_are_ns_) {
      complaint_ = "fewer than two clock anchors, so the tick rate is not known; times are in ticks";
    }
    if (ticks_are_ns_) error_ppm_ = 0;
    if (complaint_.empty() && left_out_ > 0)
      complaint_ = std::to_string(left_out_) + " clock anchors contradict the others and were left out";
    rates_.assign(anchors_.size(), ns_per_tick_);
    slopes_ = rates_;
    for (std::size_t i = 0; i + 1 < anchors_.size() && !ticks_are_ns_; ++i) {
      slopes_[i] = static_cast<double>(anchors_[i + 1].raw_ns - anchors_[i].raw_ns) /
                   static_cast<double>(anchors_[i + 1].ticks - anchors_[i].ticks);
      // Times always lie on the line between their anchors. Durations go by the rate of the whole, unless the two
      // anchors differ from it by more than their brackets can: close anchors give a slope of noise.
      const double brackets = (anchors_[i].bracket_ticks + anchors_[i + 1].bracket_ticks) / 2.0;
      const double own_ppm = brackets / static_cast<double>(anchors_[i + 1].ticks - anchors_[i].ticks) * 1e6;
      const double off_ppm = std::fabs(slopes_[i] / ns_per_tick_ - 1) * 1e6;
      if (off_ppm > own_ppm + 1) rates_[i] = slopes_[i];
      if (off_ppm > 1e5 && complaint_.empty())
        complaint_ = "the clock anchors contradict each other by more than 10 %; durations may be wrong";
    }
  }

  // The last anchor at or before `ticks`; the first one for what lies before it.
  std::size_t segment_of(std::uint64_t ticks) const {
    const auto after = std::upper_bound(anchors_.begin(), anchors_.end(), ticks,
                                        [](std::uint64_t t, const TickAnchor& a) { return t < a.ticks; });
    return after == anchors_.begin() ? 0 : static_cast<std::size_t>(after - anchors_.begin()) - 1;
  }

  std::vector<TickAnchor> anchors_;
  std::vector<double> slopes_, rates_;  // ns per tick from each anchor on: for times, for durations
  bool ticks_are_ns_ = false, rate_known_ = false;
  double ns_per_tick_ = 1, error_ppm_ = -1;
  std::size_t left_out_ = 0;
  std::string complaint_;
};

}  // namespace tl::clock
