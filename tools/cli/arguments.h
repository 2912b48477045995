// A command line into options, with the tools' own exit statuses and words.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tl::cli {

// Parses; on --help (prints `help`), --version or wrong usage prints and returns the status to end with.
std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments, std::string_view help);

// The first of `names` ("--csv", "--from") that stands among the arguments before a "--", in either spelling of a
// value.
std::string find_option(const std::vector<std::string>& arguments, const std::vector<std::string_view>& names);

// "50,99.9" into its numbers as text; empty if one is not a percentage between 0 and 100.
std::vector<std::string> percentile_list(const std::string& text);

// How the terminal on stdout wants it; `color` is auto, always or never.
struct Terminal {
  unsigned columns = 0;  // $COLUMNS if it is set, else the terminal's own; 0: stdout is no terminal
  bool color = false;
};
Terminal terminal_of_stdout(const std::string& color);

// How a user can call this program again: argv[0], or where it lies if that is a name that PATH does not lead to.
std::string callable_as(const std::string& argv0);
// The program `name` in the directory of `called_as`; a bare name is beside a bare name.
std::string beside(const std::string& called_as, const std::string& name);

// All of it to stdout; false: it could not be written (errno says why).
bool write_stdout(std::string_view text);

}  // namespace tl::cli
