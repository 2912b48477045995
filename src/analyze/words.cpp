#include "analyze/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/size_class.h"

namespace tl::analyze {

namespace {

// Three significant digits without an exponent: 1.23, 12.3, 123, 1230.
std::string three_digits(double value) {
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string time_words(double ns) {
  if (ns < 999.5) return fmt::format("{} ns", ns < 99.95 ? fmt::format("{:.1f}", ns) : fmt::format("{:.0f}", ns));
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " us";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
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

std::string share_words(double part, double whole) {
  if (!(whole > 0)) return "-";
  const double percent = 100 * part / whole;
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string size_class_words(unsigned size_class) {
  const std::uint64_t first = size_class_first(size_class), last = size_class_last(size_class);
  if (size_class == 0) return "0 bytes";
  if (size_class == 1) return "1 byte";
  if (last == UINT64_MAX) return std::string("more than ") + byte_words(first - 1);
  if (last <= 1024) return first == last ? fmt::format("{} bytes", first) : fmt::format("{} to {} bytes", first, last);
  return fmt::format("over {} to {}", byte_words(first - 1), byte_words(last));
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
