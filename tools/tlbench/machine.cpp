#include "tlbench/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "cli/cpu_list.h"

namespace tl::tlbench {

namespace {

std::optional<std::string> line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line.empty()) return std::nullopt;
  return line;
}

// The value of the first line "name : value".
std::string cpuinfo(const std::string& name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t colon = line.find(": ");
        line.compare(0, name.size(), name) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  return {};
}

// By the longest mount point above it, of several the last. A line of mountinfo: four words, the mount point, its
// options, any number of words, "-", the type.
std::optional<std::string> file_system_of(const std::string& path) {
  std::error_code ignored;
  const std::string whole = std::filesystem::weakly_canonical(path, ignored).string() + "/";
  std::ifstream file("/proc/self/mountinfo");
  std::optional<std::string> type;
  std::size_t longest = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word, point;
    for (unsigned i = 0; i < 5 && words >> point; ++i) continue;
    if (point.back() != '/') point += '/';
    if (whole.compare(0, point.size(), point) != 0 || point.size() < longest) continue;
    while (words >> word && word != "-") continue;
    if (words >> word) longest = point.size(), type = word;
  }
  return type;
}

}  // namespace

Machine this_machine(const std::string& dumps) {
  Machine out;
  out.cpu = cpuinfo("model name");
  out.is_virtual = (" " + cpuinfo("flags") + " ").find(" hypervisor ") != std::string::npos;
  out.cpus = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  out.usable_cpus = static_cast<unsigned>(cli::usable_cpus().size());
  utsname names{};
  if (uname(&names) == 0) out.kernel = names.release;
  out.clocksource = line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  out.governor = line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  out.dumps_on = file_system_of(dumps);
  if (const auto load = line_of("/proc/loadavg")) out.load = std::strtod(load->c_str(), nullptr);
  return out;
}

}  // namespace tl::tlbench
