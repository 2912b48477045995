// The figures of a row, as they are printed for people and for programs.
#pragma once

#include <cstddef>
#include <optional>

#include "tlbench/cases.h"
#include "tlbench/outcome.h"

namespace tl::tlbench {

struct Row {
  const Case* of = nullptr;
  Outcome outcome;
};

// None: the case has no such figure, or could not be run.
struct Figures {
  std::optional<double> ns, reference_ns;  // medians of slices, or of single operations
  std::optional<double> p50_ns, p99_ns, reference_p50_ns, reference_p99_ns;
  std::optional<double> ratio, ratio_p10, ratio_p90;
  std::optional<std::size_t> pairs;
  std::optional<double> cpu_ratio, floor_ns, floor_ratio;
  std::optional<double> share_of_flat_out;  // recorded a second, to the reference's rate in its median slice
  std::optional<double> bytes_per_record;   // the whole file's
  std::optional<double> records_per_s;
};

Figures figures_of(const Row& row);

}  // namespace tl::tlbench
