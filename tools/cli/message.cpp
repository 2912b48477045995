#include "cli/message.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <memory>

namespace tl::cli {

namespace {

std::string& tool_name() {
  static std::string name = "telemetry";
  return name;
}

// Without spdlog's time and level: a message of a tool reads like that of any other Unix tool.
spdlog::logger& lines() {
  static spdlog::logger logger = [] {
    spdlog::logger made("lines", std::make_shared<spdlog::sinks::stderr_sink_st>());
    made.set_pattern("%v");
    made.flush_on(spdlog::level::trace);
    return made;
  }();
  return logger;
}

}  // namespace

void set_tool_name(std::string_view name) { tool_name() = name; }

void error_line(std::string_view text) { lines().error("{}: {}", tool_name(), one_line(text)); }

void note_line(std::string_view text) { lines().info("{}", one_line(text)); }

std::string one_line(std::string_view bytes) {
  std::string shown;
  shown.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

}  // namespace tl::cli
