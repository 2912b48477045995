#include "drain/environment.h"

#include <cstring>
#include <string_view>

#include "base/settings.h"
#include "base/text.h"
#include "os/file.h"
#include "record/pins.h"
#include "record/process.h"

namespace tl::drain {

namespace {

using std::string_view;

// `why` may be empty.
void refuse(string_view name, string_view value, string_view why, string_view accepted) {
  char buffer[1024];
  TextBuilder line(buffer, sizeof buffer - 1);
  line.add("libtelemetry: ").add(name).add("='");
  for (const char c : head(value, 200)) line.add(c >= ' ' && c != 127 ? c : '?');
  line.add("' is not usable");
  if (!why.empty()) line.add(" (").add(why).add(")");
  line.add("; accepted: ").add(accepted).add("; the default is used").add('\n');
  os::say(line.view());
}

void print_help() {
  for (const Setting& setting : kSettings) {
    if (!setting.available) continue;
    char buffer[512];
    TextBuilder line(buffer, sizeof buffer);
    line.add(setting.name).add("  ").add(setting.meaning).add("\n    ").add(setting.accepted).add('\n');
    os::say(line.view());
  }
}

bool parse_alloc(string_view value, std::uint32_t& mode, const char*& why) {
  if (value == "off") return mode = kAllocOff, true;
  mode = kAllocOff;
  for (;;) {
    const std::size_t comma = value.find(',');
    const string_view word = head(value, comma);
    if (word == "count")
      mode |= kAllocCount;
    else if (word == "time")
      mode |= kAllocCount | kAllocTime;
    else {
      if (word == "stacks" || word == "mmap") why = "stacks and mmap are not available in this version";
      return false;
    }
    if (comma == string_view::npos) return true;
    value.remove_prefix(comma + 1);
  }
}

bool parse_size(string_view value, std::uint64_t& bytes) {
  if (!parse_decimal(value, bytes)) return false;
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
    return false;
  if (bytes > UINT64_MAX >> shift) return false;
  bytes <<= shift;
  return true;
}

bool parse_output(string_view value, const char*& why) {
  if (value.empty()) return false;
  if (value.size() >= kMaxPathBytes) return why = "longer than 4,095 bytes", false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] != '%') continue;
    if (i + 1 == value.size() || string_view("epth%").find(value[i + 1]) == string_view::npos)
      return why = "% is followed by something other than e, p, t, h, %", false;
    ++i;
  }
  return true;
}

bool apply(string_view name, string_view value, const char* value_text, Environment& environment, const char*& why) {
  record::Config& config = record::config;
  std::uint64_t number = 0;
  if (name == "TL_OUTPUT") {
    if (!parse_output(value, why)) return false;
    environment.output = value_text;
  } else if (name == "TL_ALLOC") {
    std::uint32_t mode;
    if (!parse_alloc(value, mode, why)) return false;
    config.alloc_mode = mode;
  } else if (name == "TL_PIN") {
    why = record::set_pins(value);
    if (why != nullptr) return record::set_pins(""), false;
  } else if (name == "TL_RING") {
    if (!parse_decimal(value, number) || !value.empty()) return false;
    if (number < kMinRingRecords || number > 1u << 30 || (number & (number - 1)) != 0) return false;
    config.ring_records = static_cast<std::uint32_t>(number);
  } else if (name == "TL_RING_POOL") {
    if (!parse_size(value, number)) return false;
    const std::uint64_t chunks = number / kChunkBytes;
    config.ring_pool_chunks = chunks > kMaxChunks ? kMaxChunks : static_cast<std::uint32_t>(chunks);
  } else if (name == "TL_DISABLE" || name == "TL_HELP") {
    if (value != "0" && value != "1") return false;
    if (value == "1" && name == "TL_DISABLE") environment.disabled = true;
    if (value == "1" && name == "TL_HELP") print_help();
  }
  return true;
}

}  // namespace

Environment read_environment(char** variables) {
  Environment environment;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const string_view whole(*variables);
    const std::size_t equals = whole.find('=');
    if (!whole.starts_with("TL_") || equals == string_view::npos) continue;
    const string_view name = head(whole, equals), value = tail(whole, equals + 1);
    const Setting* setting = find_setting(name);
    if (setting == nullptr) {
      char accepted[512];
      TextBuilder names(accepted, sizeof accepted);
      for (const Setting& known : kSettings)
        if (known.available) names.add(names.size() == 0 ? "" : ", ").add(known.name);
      refuse(name, value, "no such variable", names.view());
    } else if (!setting->available) {
      refuse(name, value, "not available in this version", "that it is unset");
    } else if (!value.empty()) {
      const char* why = "";
      if (!apply(name, value, *variables + equals + 1, environment, why))
        refuse(name, value, why == nullptr ? "" : why, setting->accepted);
    } else if (name != "TL_PIN") {
      refuse(name, value, "empty", setting->accepted);
    }
  }
  return environment;
}

}  // namespace tl::drain
