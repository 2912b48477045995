// tlreport: reads dumps. Here only the command line; the work is in src/.
#include <algorithm>
#include <exception>
#include <string_view>

#include "cli/arguments.h"
#include "cli/message.h"
#include "tlreport/commands.h"

namespace {

using tl::cli::Exit;
using tl::cli::status_of;

const std::vector<std::string_view> kLaterCommands = {"windows", "outliers", "alloc", "threads", "diff",
                                                      "gate",    "treat",    "html",  "export",  "follow"};
const std::vector<std::string_view> kLaterOptions = {
    "--csv",     "--stats", "--from", "--to",     "--digits", "--raw",         "--corrected", "--expected-interval",
    "--sysroot", "--force", "--vs",   "--format", "--of",     "--openmetrics", "--against",   "--html",
    "-o"};
constexpr char kDescription[] =
    "Reads dumps made by libtelemetry.\n"
    "  tlreport [summary] FILE...   what the program did: slowest things first, scopes, allocations, threads\n"
    "  tlreport check FILE...       what a dump holds, what is missing, whether it is whole\n"
    "Exit status: 0 fine, 2 wrong usage, 3 nothing usable, 4 usable but partial.";

int not_available(const std::string& what, const char* available) {
  tl::cli::error_line(std::string("'") + what + "' is not available in this version; available: " + available);
  return status_of(Exit::usage);
}

int run(const std::vector<std::string>& arguments) {
  const std::string later = tl::cli::find_option(arguments, kLaterOptions);
  if (!later.empty()) return not_available(later, "--json, --scope, --thread, --percentiles, --color");

  tl::tlreport::Options options;
  std::vector<std::string> words;
  std::string percentiles, color = "auto";
  CLI::App app(kDescription, "tlreport");
  app.set_version_flag("--version", "tlreport " TL_VERSION);
  app.add_option("FILE", words, "dumps, after the name of a command");
  app.add_flag("--json", options.json, "for programs: one JSON document");
  app.add_option("--scope", options.scope, "only scopes whose name matches")->type_name("GLOB");
  app.add_option("--thread", options.thread, "only threads whose name, or # and number, matches")->type_name("GLOB");
  app.add_option("--percentiles", percentiles, "which to show, default 50,90,99,99.9,99.99")->type_name("LIST");
  app.add_option("--color", color, "auto, always or never")->check(CLI::IsMember({"auto", "always", "never"}));
  if (const auto status = tl::cli::parse(app, arguments)) return *status;

  if (!percentiles.empty() || app.count("--percentiles") > 0) {
    options.shown.percentiles = tl::cli::percentile_list(percentiles);
    if (options.shown.percentiles.empty()) {
      tl::cli::error_line(std::string("--percentiles '") + percentiles +
                          "': accepted is a list of numbers from 0 to 100, as in 50,99,99.9");
      return status_of(Exit::usage);
    }
  }
  std::string command = "summary";
  if (!words.empty() && (words.front() == "summary" || words.front() == "check")) {
    command = words.front();
    words.erase(words.begin());
  } else if (!words.empty() &&
             std::find(kLaterCommands.begin(), kLaterCommands.end(), words.front()) != kLaterCommands.end()) {
    return not_available(words.front(), "summary, check");
  }
  if (words.empty()) {
    tl::cli::error_line("no FILE given; usage: tlreport [summary|check] [--json] FILE...");
    return status_of(Exit::usage);
  }
  options.files = words;
  const tl::cli::Terminal terminal = tl::cli::terminal_of_stdout(color);
  options.style = {terminal.columns, terminal.color};
  return status_of(command == "check" ? tl::tlreport::check(options) : tl::tlreport::summary(options));
}

}  // namespace

int main(int argc, char** argv) {
  tl::cli::set_tool_name("tlreport");
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    tl::cli::error_line(std::string("cannot make the report: ") + error.what());
    return status_of(Exit::unusable);
  }
}
