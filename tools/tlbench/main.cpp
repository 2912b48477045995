// tlbench: what the recorder itself costs, as ratios measured in one run. Here only the command line.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>

#include "cli/arguments.h"
#include "cli/cpu_list.h"
#include "cli/exit_codes.h"
#include "cli/library.h"
#include "cli/message.h"
#include "tlbench/looper.h"
#include "tlbench/suite_run.h"
#include "tlbench/worker.h"

namespace {

using tl::cli::Exit;
using tl::cli::status_of;

constexpr char kHelp[] =
    R"(usage: tlbench scope|malloc|drain|all [options]
Measures what libtelemetry.so itself costs on this machine: each case in turn with its own reference, in a process of its
own with the shipped defaults, its losses counted. Exit status: 0 fine (however slow), 1 a dump does not hold what was
recorded, 2 wrong usage, 3 nothing could be measured.

  scope               a pair of begin and end in each way, beside two raw stamps and a store
  malloc              a pair of malloc and free in each mode, beside a library that only forwards it; and whole programs,
                      beside themselves without the library
  drain               what is lost at full rate, what a record takes on the disk, how fast blocks are made; the dumps,
                      hundreds of MB, go to TMPDIR
  all                 every suite of this version: scope, malloc, drain

  --json              for programs: one JSON document (all: {"benches": [one a suite]})
  --seconds N         for each suite, 1 to 3,600; 10 unless said otherwise
  --cpus LIST         where the threads that record run, as in 0,2-3: the first one for a single thread. Not pinned
                      unless said otherwise (malloc: on the first ones that may be used); the library's own thread and
                      whole programs are never pinned
  --help, --version

'ratio' is the median over pairs of slices; 'p10-p90' how far the pairs spread. 'limit' is a goal: a figure above it
fails nothing, since it may be the machine's doing.
)";
constexpr double kDefaultSeconds = 10, kMostSeconds = 3600;

int refuse(const std::string& line) {
  tl::cli::error_line(line);
  return status_of(Exit::usage);
}

std::string check_suite(const std::vector<std::string>& words) {
  if (words.empty())
    return "no suite given; usage: tlbench scope|malloc|drain|all [--json] [--seconds N] [--cpus LIST]";
  if (words.size() > 1) return "one suite at a time, not also '" + words[1] + "'; 'all' runs every one";
  for (const char* later : {"report", "startup"})
    if (words[0] == later)
      return words[0] + " is not available in version " TL_VERSION "; available: scope, malloc, drain, all";
  if (words[0] != "all" && tl::tlbench::find_suite(words[0]) == nullptr)
    return "unknown suite '" + words[0] + "'; accepted: scope, malloc, drain, all";
  return {};
}

std::string check_seconds(const std::string& text, double& seconds) {
  char* end = nullptr;
  const bool plain = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  seconds = plain ? std::strtod(text.c_str(), &end) : 0;
  if (plain && *end == '\0' && seconds >= 1 && seconds <= kMostSeconds) return {};
  return "--seconds '" + text + "': accepted is a number from 1 to 3600";
}

std::string check_cpus(const std::string& text, std::vector<int>& cpus) {
  const auto list = tl::cli::cpu_list(text);
  if (!list) return "--cpus '" + text + "': accepted is a list as in 0,2-3";
  cpus = *list;
  const std::vector<int> usable = tl::cli::usable_cpus();
  for (const int cpu : cpus)
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end())
      return "--cpus '" + text + "': this process may not run on CPU " + std::to_string(cpu) + ", or there is none";
  return {};
}

// So that who waits for us sees what ended us.
[[noreturn]] void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
  _exit(128 + number);
}

int run(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  std::string seconds_text, cpus_text;
  bool json = false;
  CLI::App app("", "tlbench");
  app.set_version_flag("--version", "tlbench " TL_VERSION);
  app.add_option("SUITE", words);
  app.add_flag("--json", json);
  app.add_option("--seconds", seconds_text)->type_name("N");
  app.add_option("--cpus", cpus_text)->type_name("LIST");
  if (const auto status = tl::cli::parse(app, arguments, kHelp)) return *status;

  double seconds = kDefaultSeconds;
  std::vector<int> cpus;
  std::string error = check_suite(words);
  if (error.empty() && app.count("--seconds") > 0) error = check_seconds(seconds_text, seconds);
  if (error.empty() && app.count("--cpus") > 0) error = check_cpus(cpus_text, cpus);
  if (!error.empty()) return refuse(error);
  const std::string library = tl::cli::find_library(error);
  if (library.empty()) {
    tl::cli::error_line(error);
    return status_of(Exit::unusable);
  }

  const tl::cli::Terminal terminal = tl::cli::terminal_of_stdout("auto");
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  std::string text, disagreement;
  for (const tl::tlbench::Suite& suite : tl::tlbench::suites()) {
    if (words[0] != "all" && words[0] != suite.name) continue;
    const tl::tlbench::SuiteRun one = tl::tlbench::run_suite(suite, seconds, cpus, library);
    if (one.interrupted_by != 0) die_of(one.interrupted_by);
    if (!one.failure.empty()) {
      tl::cli::error_line(one.failure);
      return status_of(Exit::unusable);
    }
    if (!one.disagreement.empty()) disagreement += (disagreement.empty() ? "" : "; ") + one.disagreement;
    if (json)
      documents.push_back(suite_json(one.results));
    else
      text += (text.empty() ? "" : "\n") + suite_text(one.results, {terminal.columns, terminal.color});
  }
  if (json) {
    nlohmann::ordered_json document = documents[0];
    if (words[0] == "all") document = {{"schema", 1}, {"benches", documents}};
    text = document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  if (!tl::cli::write_stdout(text)) {
    tl::cli::error_line(std::string("cannot write the results: ") + std::strerror(errno));
    return status_of(Exit::unusable);
  }
  if (disagreement.empty()) return status_of(Exit::fine);
  tl::cli::error_line(disagreement);
  return status_of(Exit::finding);
}

}  // namespace

int main(int argc, char** argv) {
  tl::cli::set_tool_name("tlbench");
  try {
    const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
    if (!arguments.empty() && arguments[0] == tl::tlbench::kWorkerArgument) return tl::tlbench::work(arguments);
    if (!arguments.empty() && arguments[0] == tl::tlbench::kLooperArgument) return tl::tlbench::loop(arguments);
    return run(arguments);
  } catch (const std::exception& error) {
    tl::cli::error_line(error.what());
    return status_of(Exit::unusable);
  }
}
