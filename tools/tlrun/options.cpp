#include "tlrun/options.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>

#include "base/setting_values.h"
#include "base/settings.h"

namespace tlrun {

namespace {

// Promised by the interface for later versions: refused by name, so that nobody takes them for a typing error.
constexpr std::string_view kNotYet[] = {"gate", "html", "baseline", "treat", "runs"};

const tl::Setting* setting_of(std::string_view option) {
  for (const tl::Setting& setting : tl::kSettings)
    if (option_of(setting.name) == option) return &setting;
  return nullptr;
}

bool is_switch(const tl::Setting& setting) { return setting.accepted == "0, 1"; }

// Walks over the arguments; an option's value is behind its "=" or is the next argument.
class Arguments {
 public:
  Arguments(int argc, char** argv) : argc_(argc), argv_(argv) {}
  bool more() const { return at_ < argc_; }
  std::string_view peek() const { return argv_[at_]; }
  std::string_view take() { return argv_[at_++]; }

 private:
  int argc_;
  char** argv_;
  int at_ = 1;
};

bool take_setting(const tl::Setting& setting, std::string_view option, std::optional<std::string_view> value,
                  Arguments& arguments, Options& options, std::string& error) {
  if (!value) {
    if (is_switch(setting))
      value = arguments.more() && (arguments.peek() == "0" || arguments.peek() == "1") ? arguments.take() : "1";
    else if (arguments.more() && arguments.peek() != "--")
      value = arguments.take();
  }
  if (!value) {
    error = fmt::format("--{} needs a value: {}", option, setting.accepted);
    return false;
  }
  if (const char* why = tl::why_unusable(setting, *value)) {
    const std::string reason = *why == 0 ? "" : fmt::format(" ({})", why);
    error = fmt::format("--{}: cannot use \"{}\"{}; accepted: {}", option, *value, reason, setting.accepted);
    return false;
  }
  options.variables.emplace_back(setting.name, *value);
  return true;
}

bool take_own(std::string_view option, Options& options) {
  bool* own = option == "report"    ? &options.report
              : option == "dry-run" ? &options.dry_run
              : option == "help"    ? &options.help
              : option == "version" ? &options.version
                                    : nullptr;
  if (own != nullptr) *own = true;
  return own != nullptr;
}

bool take_control(std::optional<std::string_view> pid, Arguments& arguments, Options& options, std::string& error) {
  if (!pid && arguments.more()) pid = arguments.take();
  if (!pid || !arguments.more()) {
    error = "--control needs the id of a process and a command: pause, resume or flush";
    return false;
  }
  options.control_pid = *pid;
  options.control_command = arguments.take();
  return true;
}

bool take_option(std::string_view argument, Arguments& arguments, Options& options, std::string& error) {
  std::string_view option = argument.substr(2);
  std::optional<std::string_view> value;
  if (const std::size_t equals = option.find('='); equals != std::string_view::npos) {
    value = option.substr(equals + 1);
    option = option.substr(0, equals);
  }
  const tl::Setting* setting = setting_of(option);
  for (const std::string_view name : kNotYet) {
    if (option != name && !(setting != nullptr && !setting->available)) continue;
    error = fmt::format("--{} is not available in version " TL_VERSION, option);
    return false;
  }
  if (setting != nullptr) return take_setting(*setting, option, value, arguments, options, error);
  if (!value && take_own(option, options)) return true;
  if (option == "control") return take_control(value, arguments, options, error);
  error = fmt::format("unknown option \"{}\"; tlrun --help lists them", argument);
  return false;
}

}  // namespace

std::string option_of(std::string_view variable) {
  if (variable == "TL_HELP") return "help-variables";
  std::string option;
  for (const char c : variable.substr(3))
    option += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return option;
}

bool parse(int argc, char** argv, Options& options, std::string& error) {
  Arguments arguments(argc, argv);
  while (arguments.more()) {
    const std::string_view argument = arguments.peek();
    if (argument == "--") {
      arguments.take();
      break;
    }
    if (argument == "-h") {
      arguments.take();
      options.help = true;
      continue;
    }
    if (argument.substr(0, 1) != "-" || argument == "-") break;
    arguments.take();
    if (argument.substr(0, 2) != "--") {
      error = fmt::format("unknown option \"{}\"; tlrun --help lists them", argument);
      return false;
    }
    if (!take_option(argument, arguments, options, error)) return false;
  }
  while (arguments.more()) options.command.emplace_back(arguments.take());
  const bool runs_none = options.help || options.version || !options.control_command.empty();
  if (options.command.empty() && !runs_none) {
    error = "no program to run; usage: tlrun [options] -- PROGRAM ARGS...";
    return false;
  }
  if (!options.command.empty() && !options.control_command.empty()) {
    error = fmt::format("--control runs no program; \"{}\" is not expected", options.command[0]);
    return false;
  }
  return true;
}

std::string usage() {
  std::string text =
      "usage: tlrun [options] -- PROGRAM ARGS...\n"
      "Runs PROGRAM with libtelemetry.so and says where its dump is. Exit status: the program's; 125 for an error of\n"
      "tlrun, 126 if PROGRAM cannot be executed, 127 if there is no such program. It dies of the program's signal.\n\n";
  for (const tl::Setting& setting : tl::kSettings) {
    if (!setting.available) continue;
    text += fmt::format("  --{}{}\n      {} ({})\n      {}\n", option_of(setting.name),
                        is_switch(setting) ? "" : " VALUE", setting.meaning, setting.name, setting.accepted);
  }
  text +=
      "  --control PID pause|resume|flush\n      ask that of a process that is being recorded, and run nothing\n"
      "  --report\n      after the program's end, tlreport on its dump, to stderr; the exit status stays the "
      "program's\n"
      "  --dry-run\n      say what would be run and set, and run nothing\n"
      "  --help, --version\n";
  return text;
}

}  // namespace tlrun
