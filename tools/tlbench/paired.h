// What pairs of figures say that were taken in turn: whatever slows the machine for a while slows both of a pair, so
// their ratio holds where neither figure does.
#pragma once

#include <cstddef>
#include <vector>

namespace tl::tlbench {

// The value below which this share (0 to 1) of the values lies, interpolated between the two nearest; of an even number
// the median is the mean of the middle two. Not a number if there are none.
double quantile(std::vector<double> values, double share);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

struct PairedRatio {
  std::size_t pairs = 0;
  double median = 0, p10 = 0, p90 = 0;
};

// Of values[i] / references[i]; pairs whose reference is not above 0 do not count. What one list has more than the
// other has no partner and does not count either. Without any pair the numbers are not numbers.
PairedRatio paired_ratio(const std::vector<double>& values, const std::vector<double>& references);

// The same of values to the median of references that were not taken in turn with them: 0 pairs.
PairedRatio unpaired_ratio(const std::vector<double>& values, const std::vector<double>& references);

}  // namespace tl::tlbench
