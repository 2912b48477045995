// What the values of the TL_ variables mean: the one grammar of the library that obeys them and of tlrun, which checks
// them before the program runs. No allocation, no state.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/alloc_call.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/text.h"

namespace tl {

// Each parser: null if the value is usable, else why it is not, in a few words or none.

inline const char* parse_alloc_mode(std::string_view value, std::uint32_t& mode) {
  mode = kAllocOff;
  if (value == "off") return nullptr;
  for (;;) {
    const std::size_t comma = value.find(',');
    const std::string_view word = head(value, comma);
    if (word == "count")
      mode |= kAllocCount;
    else if (word == "time")
      mode |= kAllocCount | kAllocTime;
    else if (word == "stacks" || word == "mmap")
      return "stacks and mmap are not available in this version";
    else
      return "";
    if (comma == std::string_view::npos) return nullptr;
    value.remove_prefix(comma + 1);
  }
}

inline const char* parse_ring_records(std::string_view value, std::uint32_t& records) {
  std::uint64_t number;
  if (!parse_decimal(value, number) || !value.empty()) return "";
  if (number < kMinRingRecords || number > 1u << 30 || (number & (number - 1)) != 0) return "";
  records = static_cast<std::uint32_t>(number);
  return nullptr;
}

inline const char* parse_size(std::string_view value, std::uint64_t& bytes) {
  if (!parse_decimal(value, bytes)) return "";
  unsigned shift;
  if (value.empty() || value == "B")
    shift = 0;
  else if (value == "KiB" || value == "K" || value == "k")
    shift = 10;
  else if (value == "MiB" || value == "M")
    shift = 20;
  else if (value == "GiB" || value == "G")
    shift = 30;
  else
    return "units are KiB, MiB, GiB";
  if (bytes > UINT64_MAX >> shift) return "too large";
  bytes <<= shift;
  return nullptr;
}

inline const char* parse_size_limit(std::string_view value, std::uint64_t& bytes) {
  if (const char* why = parse_size(value, bytes)) return why;
  return bytes != 0 && bytes < kMinSizeLimitBytes ? "too small" : nullptr;
}

inline const char* parse_rotation(std::string_view value, std::uint64_t& files) {
  return parse_decimal(value, files) && value.empty() && files <= kMaxRotateFiles ? nullptr : "";
}

inline const char* check_output_pattern(std::string_view value) {
  if (value.empty()) return "empty";
  if (value.size() >= kMaxPathBytes) return "longer than 4,095 bytes";
  if (value.back() == '/') return "a directory";
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '%') continue;
    if (i + 1 == value.size() || std::string_view("epth%").find(value[i + 1]) == std::string_view::npos)
      return "% is followed by something other than e, p, t, h, %";
    ++i;
  }
  return nullptr;
}

inline bool parse_switch(std::string_view value, bool& on) {
  on = value == "1";
  return on || value == "0";
}

// `2`, `2-3`, `2+4`, and sums of them: calls add(cpu) for each.
template <class Add>
bool parse_cpus(std::string_view text, Add add) {
  for (;;) {
    std::uint64_t first, last;
    if (!parse_decimal(text, first)) return false;
    last = first;
    if (!text.empty() && text[0] == '-') {
      text.remove_prefix(1);
      if (!parse_decimal(text, last)) return false;
    }
    if (last < first || last >= kMaxCpus) return false;
    for (std::uint64_t cpu = first; cpu <= last; ++cpu) add(cpu);
    if (text.empty()) return true;
    if (text[0] != '+') return false;
    text.remove_prefix(1);
  }
}

// One rule of TL_PIN: a glob of names, or a serial.
struct PinRule {
  std::string_view pattern;  // escapes and all; empty: by serial
  std::uint64_t serial;
  std::string_view cpus;
};

inline std::size_t find_unescaped(std::string_view text, char wanted) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == wanted)
      return i;
  }
  return std::string_view::npos;
}

// Takes the first rule off `text`, which is not empty.
inline const char* take_pin_rule(std::string_view& text, PinRule& rule) {
  const std::size_t comma = find_unescaped(text, ',');
  const std::string_view item = head(text, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  if (comma != std::string_view::npos && text.empty()) return "it ends with a comma";
  const std::size_t equals = find_unescaped(item, '=');
  if (equals == std::string_view::npos || equals == 0) return "pattern=cpus is missing";
  rule = {head(item, equals), 0, tail(item, equals + 1)};
  if (rule.pattern.size() > kMaxPinPatternBytes) return "a pattern has more than 95 bytes";
  if (rule.pattern[0] == '@') return "@ patterns are not available in this version";
  if (rule.pattern[0] == '#') {
    std::string_view number = tail(rule.pattern, 1);
    if (!parse_decimal(number, rule.serial) || !number.empty()) return "# is followed by something that is no number";
    rule.pattern = {};
  }
  return parse_cpus(rule.cpus, [](std::uint64_t) {}) ? nullptr : "CPUs are not like 2, 2-3 or 2+4";
}

inline const char* check_pins(std::string_view text) {
  PinRule rule;
  for (unsigned rules = 0; !text.empty(); ++rules) {
    if (rules == kMaxPinRules) return "more than 64 patterns";
    if (const char* why = take_pin_rule(text, rule)) return why;
  }
  return nullptr;
}

// TL_FOLLOW, and the process that tlrun started, if it did: pid and start time. Whoever inherits the environment can
// tell by them whether it is that process, or descends from it.
struct Follow {
  bool children = true;
  std::uint32_t run_pid = 0;  // 0: not known
  std::uint64_t run_start = 0;
};

inline const char* parse_follow(std::string_view value, Follow& follow) {
  std::string_view rest = tail(value, 1);
  if (!parse_switch(head(value, 1), follow.children)) return "";
  if (rest.empty()) return nullptr;
  std::uint64_t pid;
  const auto number = [&rest](std::uint64_t& out) {
    if (rest.empty() || rest[0] != ':') return false;
    rest.remove_prefix(1);
    return parse_decimal(rest, out);
  };
  if (!number(pid) || !number(follow.run_start) || !rest.empty() || pid == 0 || pid > INT32_MAX) return "";
  follow.run_pid = static_cast<std::uint32_t>(pid);
  return nullptr;
}

// Takes the first glob of a comma list, which is not empty.
inline std::string_view take_glob(std::string_view& text) {
  const std::size_t comma = find_unescaped(text, ',');
  const std::string_view glob = head(text, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  return glob;
}

inline const char* check_globs(std::string_view text) {
  if (!text.empty() && text.back() == ',') return "it ends with a comma";
  while (!text.empty())
    if (take_glob(text).empty()) return "a name is empty";
  return nullptr;
}

// Whether `name` is asked for by a list, of which an empty one asks for all.
inline bool globs_match(std::string_view list, std::string_view name) {
  bool matches = list.empty();
  while (!list.empty() && !matches) matches = glob_matches(take_glob(list), name);
  return matches;
}

// Null: the library can do with it. `setting` is available.
inline const char* why_unusable(const Setting& setting, std::string_view value) {
  std::uint32_t number;
  std::uint64_t bytes;
  bool on;
  Follow follow;
  if (setting.name == "TL_OUTPUT") return check_output_pattern(value);
  if (setting.name == "TL_ALLOC") return parse_alloc_mode(value, number);
  if (setting.name == "TL_PIN") return check_pins(value);
  if (setting.name == "TL_RING") return parse_ring_records(value, number);
  if (setting.name == "TL_RING_POOL") return parse_size(value, bytes);
  if (setting.name == "TL_SIZE") return parse_size_limit(value, bytes);
  if (setting.name == "TL_ROTATE") return parse_rotation(value, bytes);
  if (setting.name == "TL_FOLLOW") return parse_follow(value, follow);
  if (setting.name == "TL_ONLY") return check_globs(value);
  if (setting.name == "TL_CLOCK") return value == "auto" || value == "os" ? nullptr : "";
  return parse_switch(value, on) ? nullptr : "";
}

}  // namespace tl
