// The results of a suite, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "render/table.h"
#include "tlbench/launch.h"
#include "tlbench/machine.h"

namespace tl::tlbench {

struct Row {
  const Case* of = nullptr;
  Outcome outcome;
};

struct Results {
  Machine machine;
  std::string runtime;
  double seconds = 0;
  std::vector<int> cpus;
  std::vector<Row> rows;
};

nlohmann::ordered_json scope_json(const Results& results);
std::string scope_text(const Results& results, const render::Style& style);

}  // namespace tl::tlbench
