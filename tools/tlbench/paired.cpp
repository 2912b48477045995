#include "tlbench/paired.h"

#include <algorithm>
#include <limits>

namespace tl::tlbench {

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), at, values.end());
  if (below + 1 == values.size()) return *at;
  return *at + (*std::min_element(at + 1, values.end()) - *at) * (place - static_cast<double>(below));
}

PairedRatio paired_ratio(const std::vector<double>& values, const std::vector<double>& references) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(values.size(), references.size()); ++i)
    if (references[i] > 0) ratios.push_back(values[i] / references[i]);
  return {ratios.size(), median(ratios), quantile(ratios, 0.1), quantile(ratios, 0.9)};
}

PairedRatio unpaired_ratio(const std::vector<double>& values, const std::vector<double>& references) {
  const double reference = median(references);
  return {0, median(values) / reference, quantile(values, 0.1) / reference, quantile(values, 0.9) / reference};
}

}  // namespace tl::tlbench
