#include "tlrun/place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "cli/library.h"

namespace tlrun {

namespace fs = std::filesystem;

namespace {

std::string found_on_path(const std::string& tool) {
  const char* variable = std::getenv("PATH");
  const std::string search = variable != nullptr ? variable : "";
  for (std::size_t begin = 0; begin < search.size();) {
    const std::size_t end = std::min(search.find(':', begin), search.size());
    const std::string path = search.substr(begin, end - begin) + "/" + tool;
    if (access(path.c_str(), X_OK) == 0) return path;
    begin = end + 1;
  }
  return {};
}

}  // namespace

std::string beside_or_on_path(const std::string& tool) {
  std::error_code error;
  const fs::path beside = fs::path(tl::cli::own_directory()) / tool;
  const std::string on_path = found_on_path(tool);
  if (!on_path.empty() && fs::equivalent(on_path, beside, error)) return tool;
  if (access(beside.c_str(), X_OK) != 0) return tool;
  const std::string path = shortened(beside.string());
  return path.find('/') == std::string::npos ? "./" + path : path;
}

std::string absolute_pattern(const std::string& output) {
  if (output[0] == '/') return output;
  std::error_code error;
  const std::string pattern = tl::cli::as_output(fs::current_path(error).string());
  return pattern + (pattern == "/" ? "" : "/") + output;
}

std::string shortened(const std::string& path) {
  std::error_code error;
  const std::string here = fs::current_path(error).string() + "/";
  if (path.rfind(here, 0) != 0 || path.size() == here.size()) return path;
  const std::string rest = path.substr(here.size());
  return rest[0] == '-' ? "./" + rest : rest;
}

std::string quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string size_in_words(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  unsigned unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes")
                   : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace tlrun
