// The results of a suite, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "render/table.h"
#include "tlbench/figures.h"
#include "tlbench/machine.h"

namespace tl::tlbench {

struct Results {
  const Suite* suite = nullptr;
  Machine machine;
  std::string runtime;
  double seconds = 0;
  std::vector<int> cpus;
  std::vector<Row> rows;
};

nlohmann::ordered_json suite_json(const Results& results);
std::string suite_text(const Results& results, const render::Style& style);

}  // namespace tl::tlbench
