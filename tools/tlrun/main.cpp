// tlrun: runs a program with libtelemetry.so in it, unchanged in everything that others can see, and says afterwards
// where its dump is. Every line of ours goes to stderr.
#include <fmt/format.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/setting_values.h"
#include "cli/library.h"
#include "tlrun/control.h"
#include "tlrun/findings.h"
#include "tlrun/launch.h"
#include "tlrun/options.h"
#include "tlrun/place.h"
#include "tlrun/program.h"

namespace {

using namespace tlrun;

constexpr int kOwnError = 125, kNotExecutable = 126, kNotFound = 127;

// Nobody may be listening: stderr can be closed or full, and the program's status is passed on all the same.
void say(const std::string& line) {
  const std::string text = "tlrun: " + line + "\n";
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

int refuse(const std::string& line, int status) {
  say(line);
  return status;
}

int refuse_program(const std::string& name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return refuse(missing ? fmt::format("{}: no such program", quoted(name))
                        : fmt::format("{}: cannot be executed: {}", quoted(name), std::strerror(error)),
                missing ? kNotFound : kNotExecutable);
}

std::string value_of(const Options& options, const std::string& name, const char* otherwise) {
  for (auto each = options.variables.rbegin(); each != options.variables.rend(); ++each)
    if (each->first == name) return each->second;
  const char* inherited = std::getenv(name.c_str());
  return inherited != nullptr && *inherited != '\0' ? inherited : otherwise;
}

std::vector<std::string> variables_for(const Options& options, const Program& program, const std::string& library,
                                       const std::string& output) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : options.variables)
    if (name != "TL_OUTPUT") variables.push_back(name + "=" + value);
  // Absolute, so that children which change their directory leave their dumps in the same place.
  variables.push_back("TL_OUTPUT=" + output);
  if (program.loader_objects) return variables;
  const char* inherited = std::getenv("LD_PRELOAD");
  const bool others = inherited != nullptr && *inherited != '\0';
  variables.push_back("LD_PRELOAD=" + library + (others ? ":" + std::string(inherited) : ""));
  return variables;
}

// What the program gets in place of it is usable, so the library would have no word to say.
bool follows_children(const Options& options) {
  tl::Follow follow;
  const std::string value = value_of(options, "TL_FOLLOW", "1");
  if (tl::parse_follow(value, follow) == nullptr) return follow.children;
  say(fmt::format("TL_FOLLOW={} is not usable; accepted: {}; the default is used", quoted(value),
                  tl::find_setting("TL_FOLLOW")->accepted));
  return true;
}

// Of a rotated dump the files belong together; those of one process come one after the other.
bool of_one_dump(const Dump& a, const Dump& b) { return a.pid == b.pid && a.start_unix_ns == b.start_unix_ns; }

std::size_t files_of_first(const Findings& findings) {
  std::size_t files = 0;
  while (files < findings.dumps.size() && of_one_dump(findings.dumps[files], findings.dumps.front())) ++files;
  return files;
}

void say_dumps(const Findings& findings) {
  std::string paths;
  std::uint64_t bytes = 0;
  const std::size_t files = files_of_first(findings);
  for (std::size_t i = 0; i < files; ++i) {
    paths += (i == 0 ? "" : " ") + quoted(shortened(findings.dumps[i].path));
    bytes += findings.dumps[i].bytes;
  }
  std::size_t processes = 1;
  for (std::size_t i = files; i < findings.dumps.size(); ++i)
    processes += !of_one_dump(findings.dumps[i], findings.dumps[i - 1]);
  const std::string size = size_in_words(bytes);
  say(files == 1 ? fmt::format("dump: {} ({})", paths, size)
                 : fmt::format("dump in {} files: {} ({})", files, paths, size));
  if (processes > 1) {
    const std::string last = quoted(shortened(findings.dumps.back().path));
    say(fmt::format("{} dumps in all, one for each process that recorded something; the last: {}", processes, last));
  }
  say(fmt::format("next: {} {}", quoted(beside_or_on_path("tlreport")), paths));
}

// Of some a part is in a file all the same.
void say_unwritable(const Findings& findings) {
  for (const std::string& path : findings.unwritable) {
    const bool in_part =
        std::any_of(findings.dumps.begin(), findings.dumps.end(), [&](const Dump& dump) { return dump.path == path; });
    say(fmt::format("could not write {}{}; {} kept in shared memory, which {} {} reads{}", in_part ? "all of " : "",
                    quoted(shortened(path)), in_part ? "the rest is" : "its records are",
                    quoted(beside_or_on_path("tlreport")), quoted(shortened(path)), in_part ? " with it" : ""));
  }
}

void say_running(const Findings& findings) {
  const std::size_t count = findings.running.size();
  if (count == 0) return;
  const Dump& last = findings.running.back();
  const std::string which = fmt::format("pid {}, dump {}", last.pid, quoted(shortened(last.path)));
  say(count == 1
          ? fmt::format("1 of its processes is still running and being recorded: {}", which)
          : fmt::format("{} of its processes are still running and being recorded, among them {}", count, which));
}

void say_why_nothing(const Options& options, const Program& program) {
  if (!program.why_not.empty())
    say("nothing was recorded: " + program.why_not);
  else if (value_of(options, "TL_DISABLE", "0") == "1")
    say("nothing was recorded: TL_DISABLE=1 asks for that");
  else if (const std::string only = value_of(options, "TL_ONLY", ""); !only.empty())
    say(fmt::format("nothing was recorded: no program that recorded something has a name like {} (TL_ONLY)",
                    quoted(only)));
  else
    say("nothing was recorded: the program made no allocation call and finished no scope that was to be counted, or it "
        "could not be recorded (it confined itself before, or its limits allow no file), or removed its dump");
}

// Of a rotated dump all files that are there.
void report(const Findings& findings) {
  std::fflush(stderr);
  std::vector<std::string> words = {"tlreport"};
  const std::size_t files = files_of_first(findings);
  for (std::size_t i = 0; i < files; ++i) words.push_back(findings.dumps[i].path);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string tool = beside_or_on_path("tlreport");
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(tool.c_str(), arguments.data());
    say(fmt::format("cannot run {}: {}", quoted(tool), std::strerror(errno)));
    _exit(kNotFound);
  }
  if (pid > 0) waitpid(pid, nullptr, 0);
}

int dry_run(const Options& options, const Program& program, const std::vector<std::string>& variables) {
  std::string line;
  for (const std::string& variable : variables) {
    const std::size_t equals = variable.find('=');
    line += variable.substr(0, equals + 1) + quoted(variable.substr(equals + 1)) + " ";
  }
  for (const std::string& word : options.command) line += quoted(word) + " ";
  line.pop_back();
  say("would run: " + line);
  if (!program.why_not.empty()) say("nothing could be recorded: " + program.why_not);
  return 0;
}

int main_(int argc, char** argv) {
  Options options;
  std::string error;
  if (!parse(argc, argv, options, error)) return refuse(error, kOwnError);
  if (options.help || options.version) {
    std::fputs(options.help ? usage().c_str() : "tlrun " TL_VERSION "\n", stdout);
    return 0;
  }
  if (!options.control_command.empty()) {
    bool good;
    const std::string line = control(options.control_pid, options.control_command, good);
    return refuse(line, good ? 0 : kOwnError);
  }
  std::uint64_t files = 0, bytes = 0;
  const bool by_option = std::any_of(options.variables.begin(), options.variables.end(),
                                     [](const auto& each) { return each.first == "TL_ROTATE"; });
  if (by_option && tl::parse_rotation(value_of(options, "TL_ROTATE", "0"), files) == nullptr && files != 0 &&
      tl::parse_size_limit(value_of(options, "TL_SIZE", "0"), bytes) == nullptr && bytes == 0)
    return refuse("--rotate needs a size at which the dump goes on in the next file; accepted: it together with --size",
                  kOwnError);
  const Program program = find_program(options.command[0]);
  if (program.error != 0) return refuse_program(options.command[0], program.error);
  const std::string library = tl::cli::find_library(error);
  if (library.empty()) return refuse(error, kOwnError);
  const std::string output = absolute_pattern(value_of(options, "TL_OUTPUT", "telemetry.%e.%p.%t.tl"));
  const std::vector<std::string> variables = variables_for(options, program, library, output);
  if (options.dry_run) return dry_run(options, program, variables);

  const Ended ended = run(program, options.command, variables, follows_children(options));
  if (ended.pid < 0)
    return refuse(fmt::format("cannot start a process: {}", std::strerror(ended.exec_error)), kOwnError);
  if (ended.exec_error != 0) return refuse_program(options.command[0], ended.exec_error);
  const Findings findings = look_for(output, ended);
  say_unwritable(findings);
  say_running(findings);
  if (!findings.dumps.empty())
    say_dumps(findings);
  else if (findings.unwritable.empty() && findings.running.empty())
    say_why_nothing(options, program);
  if (options.report && !findings.dumps.empty()) report(findings);
  end_like(ended.status);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_(argc, argv);
  } catch (const std::exception& failure) { return refuse(failure.what(), kOwnError); }
}
