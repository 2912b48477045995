#include "cli/cpu_list.h"

#include <sched.h>

#include <algorithm>

#include "base/limits.h"
#include "base/setting_values.h"

namespace tl::cli {

std::optional<std::vector<int>> cpu_list(const std::string& text) {
  std::vector<int> cpus;
  std::string sums = text;
  std::replace(sums.begin(), sums.end(), ',', '+');
  const auto add = [&](std::uint64_t number) {
    const int cpu = static_cast<int>(number);
    if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) cpus.push_back(cpu);
  };
  if (!parse_cpus(sums, add)) return std::nullopt;
  return cpus;
}

std::vector<int> usable_cpus() {
  cpu_set_t* set = CPU_ALLOC(kMaxCpus);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMaxCpus);
  CPU_ZERO_S(bytes, set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, bytes, set) == 0)
    for (unsigned cpu = 0; cpu < kMaxCpus; ++cpu)
      if (CPU_ISSET_S(cpu, bytes, set)) cpus.push_back(static_cast<int>(cpu));
  CPU_FREE(set);
  return cpus;
}

}  // namespace tl::cli
