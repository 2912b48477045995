// tlreport: reads dumps. Here only the command line; the work is in src/.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <string_view>

#include "analyze/words.h"
#include "cli/arguments.h"
#include "cli/message.h"
#include "tlreport/commands.h"

namespace {

using tl::cli::Exit;
using tl::cli::status_of;

const std::vector<std::string_view> kLaterCommands = {"windows", "outliers", "alloc", "threads", "diff",
                                                      "gate",    "treat",    "html",  "export"};
const std::vector<std::string_view> kLaterOptions = {
    "--csv",     "--stats", "--from", "--to",     "--digits", "--expected-interval",
    "--sysroot", "--force", "--vs",   "--format", "--of",     "--openmetrics",
    "--against", "--html",  "-o"};
constexpr char kHelp[] =
    R"(usage: tlreport [summary] [options] FILE...   what the program did, the slowest things first
       tlreport check [options] FILE...       what a dump holds, what is missing, whether it is whole
       tlreport follow [options] FILE         twice a second what is being written, until the program ends
Reads dumps made by libtelemetry. Exit status: 0 fine, 2 wrong usage, 3 nothing usable, 4 usable but partial.

  --json              for programs: one JSON document (follow: one a line)
  --scope GLOB        only scopes whose name matches (summary, follow)
  --thread GLOB       only threads whose name, or # and number, matches (summary)
  --percentiles LIST  which to show, 50,90,99,99.9,99.99 unless said otherwise (summary)
  --raw, --corrected  times of scopes as measured (unless said otherwise), or without what recording took (summary)
  --color WHEN        auto, always or never
  --help, --version

Columns: 'total' is the time inside a scope, 'self' that without the scopes inside it; 'per s' is runs a second
of the process's life. A percentile says what so many of a hundred took at most. '~' stands before one that so
few samples cannot tell: it is the slowest of them. '< floor' is what recording itself may take: see 'Own cost'.
Response time counts from when a run was meant to begin, service time from when it did.
)";

int not_available(const std::string& what, const char* available) {
  tl::cli::error_line(std::string("'") + what + "' is not available in this version; available: " + available);
  return status_of(Exit::usage);
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

// A first word of small letters that is no file was meant as a command.
bool looks_like_a_command(const std::string& word) {
  return word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos && !exists(word);
}

bool is_command(const std::string& word) { return word == "summary" || word == "check" || word == "follow"; }

int run(const std::string& called_as, const std::vector<std::string>& arguments) {
  const std::string later = tl::cli::find_option(arguments, kLaterOptions);
  if (!later.empty())
    return not_available(later, "--json, --scope, --thread, --percentiles, --raw, --corrected, --color");

  tl::tlreport::Options options;
  std::vector<std::string> words;
  std::string percentiles, color = "auto";
  bool raw = false;
  CLI::App app("", "tlreport");
  app.set_version_flag("--version", "tlreport " TL_VERSION);
  app.add_option("FILE", words);
  app.add_flag("--json", options.json);
  app.add_option("--scope", options.scope)->type_name("GLOB");
  app.add_option("--thread", options.thread)->type_name("GLOB");
  app.add_option("--percentiles", percentiles)->type_name("LIST");
  app.add_flag("--raw", raw);
  app.add_flag("--corrected", options.corrected);
  app.add_option("--color", color)->check(CLI::IsMember({"auto", "always", "never"}));
  if (const auto status = tl::cli::parse(app, arguments, kHelp)) return *status;

  if (!percentiles.empty() || app.count("--percentiles") > 0) {
    options.shown.percentiles = tl::cli::percentile_list(percentiles);
    if (options.shown.percentiles.empty()) {
      tl::cli::error_line(std::string("--percentiles '") + percentiles +
                          "': accepted is a list of numbers from 0 to 100, as in 50,99,99.9");
      return status_of(Exit::usage);
    }
    options.shown.value_percentiles = options.shown.percentiles;
  }
  if (raw && options.corrected) {
    tl::cli::error_line("--raw and --corrected: accepted is one of them");
    return status_of(Exit::usage);
  }
  std::string command = "summary";
  if (!words.empty() && is_command(words.front())) {
    command = words.front();
    words.erase(words.begin());
  } else if (!words.empty() &&
             std::find(kLaterCommands.begin(), kLaterCommands.end(), words.front()) != kLaterCommands.end()) {
    return not_available(words.front(), "summary, check, follow");
  } else if (!words.empty() && !words.front().empty() && looks_like_a_command(words.front())) {
    tl::cli::error_line("unknown command '" + words.front() +
                        "', and there is no file of that name; accepted: summary, check, follow, or a FILE");
    return status_of(Exit::usage);
  }
  if (command != "summary")
    for (const char* option : {"--scope", "--thread", "--percentiles", "--raw", "--corrected"})
      if (app.count(option) > 0 && !(command == "follow" && option == std::string_view("--scope"))) {
        tl::cli::error_line(std::string("'") + option + "' has no meaning for " + command + "; " + command +
                            " takes --json, --color" + (command == "follow" ? ", --scope" : ""));
        return status_of(Exit::usage);
      }
  if (words.empty()) {
    tl::cli::error_line("no FILE given; usage: tlreport [summary|check|follow] [--json] FILE...");
    return status_of(Exit::usage);
  }
  if (command == "follow" && words.size() > 1) {
    tl::cli::error_line("follow: " + std::to_string(words.size()) + " files given; accepted is one");
    return status_of(Exit::usage);
  }
  options.files = words;
  const tl::cli::Terminal terminal = tl::cli::terminal_of_stdout(color);
  const std::string self = tl::cli::callable_as(called_as);
  options.commands = {tl::analyze::shell_quoted(self), tl::analyze::shell_quoted(tl::cli::beside(self, "tlrun"))};
  options.style = {terminal.columns, terminal.color};
  return status_of(command == "check"    ? tl::tlreport::check(options)
                   : command == "follow" ? tl::tlreport::follow(options)
                                         : tl::tlreport::summary(options));
}

}  // namespace

int main(int argc, char** argv) {
  tl::cli::set_tool_name("tlreport");
  try {
    return run(argc > 0 ? argv[0] : "tlreport", std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const std::exception& error) {
    tl::cli::error_line(std::string("cannot make the report: ") + error.what());
    return status_of(Exit::unusable);
  }
}
