#include "drain/environment.h"

#include <cstring>
#include <string_view>

#include "base/setting_values.h"
#include "base/text.h"
#include "os/file.h"
#include "record/pins.h"
#include "record/process.h"

namespace tl::drain {

namespace {

using std::string_view;

// `why` may be empty.
void refuse(string_view name, string_view value, string_view why, string_view accepted,
            string_view instead = "the default is used") {
  char buffer[1024];
  TextBuilder line(buffer, sizeof buffer - 1);
  line.add("libtelemetry: ").add(name).add("='");
  for (const char c : head(value, 200)) line.add(c >= ' ' && c != 127 ? c : '?');
  line.add("' is not usable");
  if (!why.empty()) line.add(" (").add(why).add(")");
  line.add("; accepted: ").add(accepted).add("; ").add(instead).add('\n');
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

// The value is usable: it was checked.
void apply(string_view name, string_view value, const char* value_text, Environment& environment) {
  record::Config& config = record::config;
  bool on = false;
  std::uint64_t bytes = 0;
  if (name == "TL_OUTPUT")
    environment.output = value_text;
  else if (name == "TL_ALLOC")
    parse_alloc_mode(value, config.alloc_mode);
  else if (name == "TL_PIN")
    record::set_pins(value);
  else if (name == "TL_RING")
    parse_ring_records(value, config.ring_records);
  else if (name == "TL_CLOCK")
    environment.os_clock = value == "os";
  else if (name == "TL_FOLLOW")
    parse_follow(value, environment.follow);
  else if (name == "TL_ONLY")
    environment.only = value_text;
  else if (name == "TL_SIZE")
    parse_size_limit(value, config.size_limit_bytes);
  else if (name == "TL_ROTATE") {
    parse_rotation(value, bytes);
    config.rotate_files = static_cast<std::uint32_t>(bytes);
  } else if (name == "TL_RING_POOL") {
    parse_size(value, bytes);
    const std::uint64_t chunks = bytes / kChunkBytes;
    config.ring_pool_chunks = chunks > kMaxChunks ? kMaxChunks : static_cast<std::uint32_t>(chunks);
  } else if (parse_switch(value, on) && on) {
    if (name == "TL_DISABLE") environment.disabled = true;
    if (name == "TL_HELP") print_help();
  }
}

}  // namespace

Environment read_environment(char** variables) {
  Environment environment;
  string_view rotation;
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
      refuse(name, value, "no such variable", names.view(), "it is ignored");
    } else if (!setting->available) {
      refuse(name, value, "not available in this version", "that it is unset");
    } else if (const char* why = why_unusable(*setting, value)) {
      refuse(name, value, why, setting->accepted);
    } else {
      apply(name, value, *variables + equals + 1, environment);
      if (name == "TL_ROTATE") rotation = value;
    }
  }
  if (record::config.rotate_files != 0 && record::config.size_limit_bytes == 0)
    refuse("TL_ROTATE", rotation, "there is no TL_SIZE at which to go on in the next file", "it together with TL_SIZE");
  return environment;
}

}  // namespace tl::drain
