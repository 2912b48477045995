// The command line of tlrun: options are the available rows of base/settings.h in lower case, and a few of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tlrun {

struct Options {
  std::vector<std::pair<std::string, std::string>> variables;  // TL_ name and value, in the order given
  std::vector<std::string> command;                            // the program and its arguments
  std::string control_pid, control_command;                    // of --control, which runs no program
  bool report = false;
  bool dry_run = false;
  bool help = false;
  bool version = false;
};

// False: `error` holds the one line to print, without the name of the tool.
bool parse(int argc, char** argv, Options& options, std::string& error);

// TL_RING_POOL -> --ring-pool; TL_HELP is --help-variables, since --help is tlrun's own.
std::string option_of(std::string_view variable);

std::string usage();

}  // namespace tlrun
