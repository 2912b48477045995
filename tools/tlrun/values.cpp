#include "tlrun/values.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/limits.h"

namespace tlrun {

namespace {

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_output(std::string_view value) {
  if (value.empty() || value.size() >= tl::kMaxPathBytes || value.back() == '/') return false;
  for (std::size_t at = 0; (at = value.find('%', at)) != std::string_view::npos; at += 2)
    if (at + 1 == value.size() || std::string_view("epth%").find(value[at + 1]) == std::string_view::npos) return false;
  return true;
}

bool is_alloc(std::string_view value) {
  if (value == "off") return true;
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string_view word = value.substr(0, comma);
    if (word != "count" && word != "time") return false;
    if (comma == std::string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
}

bool is_ring(std::string_view value) {
  const auto records = number_of(value);
  return records && *records >= tl::kMinRingRecords && *records <= (std::uint64_t{1} << 30) &&
         (*records & (*records - 1)) == 0;
}

bool is_size(std::string_view value) {
  const std::size_t digits = value.find_first_not_of("0123456789");
  if (!number_of(value.substr(0, digits))) return false;
  if (digits == std::string_view::npos) return true;
  const std::string_view unit = value.substr(digits);
  for (const std::string_view known : {"B", "k", "K", "KiB", "M", "MiB", "G", "GiB"})
    if (unit == known) return true;
  return false;
}

// "2", "2-3" or "2+4-5": CPUs that a set of 1,024 can hold.
bool is_cpus(std::string_view value) {
  while (true) {
    const std::size_t plus = value.find('+');
    const std::string_view part = value.substr(0, plus);
    const std::size_t dash = part.find('-');
    const auto first = number_of(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(part.substr(dash + 1));
    if (!first || !last || *first > *last || *last >= 1024) return false;
    if (plus == std::string_view::npos) return true;
    value.remove_prefix(plus + 1);
  }
}

// `pattern=cpus[,...]`; a backslash takes the next character of a pattern as it is.
bool is_pin(std::string_view value) {
  if (value.empty()) return true;
  std::size_t at = 0;
  while (true) {
    const std::size_t begin = at;
    while (at < value.size() && value[at] != '=' && value[at] != ',') at += value[at] == '\\' ? 2 : 1;
    if (at >= value.size() || value[at] != '=' || at == begin) return false;
    const std::string_view pattern = value.substr(begin, at - begin);
    if (pattern.front() == '@' || (pattern.front() == '#' && !number_of(pattern.substr(1)))) return false;
    const std::size_t comma = value.find(',', ++at);
    if (!is_cpus(value.substr(at, comma - at))) return false;
    if (comma == std::string_view::npos) return true;
    at = comma + 1;
  }
}

}  // namespace

bool is_usable(const tl::Setting& setting, std::string_view value) {
  if (setting.name == "TL_OUTPUT") return is_output(value);
  if (setting.name == "TL_ALLOC") return is_alloc(value);
  if (setting.name == "TL_PIN") return is_pin(value);
  if (setting.name == "TL_RING") return is_ring(value);
  if (setting.name == "TL_RING_POOL") return is_size(value);
  return value == "0" || value == "1";
}

}  // namespace tlrun
