// The commands of tlreport that this version has.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_codes.h"
#include "render/summary.h"

namespace tl::tlreport {

struct Options {
  std::vector<std::string> files;
  bool json = false;
  bool corrected = false;     // without own cost
  std::string scope, thread;  // globs; empty: all
  analyze::Commands commands;
  render::SummaryOptions shown;
  render::Style style;
};

// Print to stdout, complain on stderr, and say how it went. What is wrong with one file does not hide the others.
cli::Exit summary(const Options& options);
cli::Exit check(const Options& options);
// Of one file, until it ends or somebody interrupts.
cli::Exit follow(const Options& options);

// The worse of two: usage before unusable before finding before partial before fine.
cli::Exit worse(cli::Exit a, cli::Exit b);
// Prints the report; unusable if stdout does not take it.
cli::Exit print(const std::string& text);

}  // namespace tl::tlreport
