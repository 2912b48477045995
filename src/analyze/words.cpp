#include "analyze/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/size_class.h"

namespace tl::analyze {

namespace {

// Three significant digits without an exponent: 1.23, 12.3, 123, 1230.
std::string three_digits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

// A border of size classes in the largest unit that keeps it whole.
std::pair<std::uint64_t, const char*> power_of_two(std::uint64_t bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  unsigned unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); bytes /= 1024) ++unit;
  return {bytes, units[unit]};
}

}  // namespace

std::string time_words(double time, TimeUnit unit) {
  if (unit == TimeUnit::ticks) return counted(static_cast<std::uint64_t>(std::max(0.0, std::round(time))), "tick");
  if (time < 999.5) return fmt::format("{:.{}f} ns", time, time < 99.95 ? 1 : 0);  // tenths are what is recorded
  if (time < 999.5e3) return three_digits(time / 1e3) + " us";
  if (time < 999.5e6) return three_digits(time / 1e6) + " ms";
  return three_digits(time / 1e9) + " s";
}

std::string byte_words(std::uint64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " B";
  const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  unsigned unit = 0;
  for (; value >= 999.5 && unit < 5; value /= 1024) ++unit;
  return three_digits(value) + " " + units[unit];
}

std::string count_words(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return count_words(n) + " " + (n == 1 ? one : many != nullptr ? many : std::string(one) + "s");
}

std::string share_words(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double percent = 100 * part / whole;
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string share_of_some_words(std::uint64_t part, std::uint64_t whole) {
  const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
  if (part > 0 && percent < 0.05) return "< 0.1 %";
  if (part < whole && percent >= 99.5) return "> 99 %";
  return share_words(static_cast<double>(part), static_cast<double>(whole));
}

std::string size_class_words(unsigned size_class) {
  const std::uint64_t first = size_class_first(size_class), last = size_class_last(size_class);
  if (last <= 1024) return first == last ? fmt::format("{} B", first) : fmt::format("{}-{} B", first, last);
  const auto [from, from_unit] = power_of_two(first - 1);
  if (last == UINT64_MAX) return fmt::format(">{} {}", from, from_unit);
  const auto [to, to_unit] = power_of_two(last);
  if (from_unit == to_unit) return fmt::format(">{}-{} {}", from, to, to_unit);
  return fmt::format(">{} {}-{} {}", from, from_unit, to, to_unit);
}

std::string signal_words(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? fmt::format("signal {} (SIG{})", number, name) : fmt::format("signal {}", number);
}

std::string shell_quoted(const std::string& text) {
  constexpr char kPlain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  quoted += '\'';
  return quoted;
}

}  // namespace tl::analyze
