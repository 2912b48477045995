#include <cerrno>
#include <cstring>

#include "analyze/summary.h"
#include "cli/arguments.h"
#include "cli/glob.h"
#include "cli/message.h"
#include "tlreport/commands.h"

namespace tl::tlreport {

cli::Exit worse(cli::Exit a, cli::Exit b) {
  const auto rank = [](cli::Exit code) {
    switch (code) {
      case cli::Exit::usage:
        return 4;
      case cli::Exit::unusable:
        return 3;
      case cli::Exit::finding:
        return 2;
      case cli::Exit::partial:
        return 1;
      case cli::Exit::fine:
        break;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

cli::Exit print(const std::string& text) {
  if (cli::write_stdout(text)) return cli::Exit::fine;
  cli::error_line(std::string("cannot write the report to stdout: ") + std::strerror(errno));
  return cli::Exit::unusable;
}

cli::Exit summary(const Options& options) {
  analyze::Filter filter;
  if (!options.scope.empty())
    filter.scope = [&](const std::string& name) { return cli::glob_matches(options.scope, name); };
  if (!options.thread.empty())
    filter.thread = [&](const std::string& name) { return cli::glob_matches(options.thread, name); };

  cli::Exit exit = cli::Exit::fine;
  std::vector<analyze::Report> reports;
  for (const std::string& path : options.files) {
    read::Dump dump;
    const std::string failure = dump.open(path);
    if (!failure.empty()) {
      cli::error_line(failure);
      exit = worse(exit, cli::Exit::unusable);
      continue;
    }
    reports.push_back(analyze::summarize(dump, filter));
    const std::vector<std::string>& partial = reports.back().partial;
    if (partial.empty()) continue;
    std::string line = path + ": partial:";
    for (const std::string& reason : partial)
      line += std::string(" ") + reason + (&reason == &partial.back() ? "" : ";");
    cli::error_line(line);
    exit = worse(exit, cli::Exit::partial);
  }
  if (reports.empty()) return exit;

  const bool several = options.files.size() > 1;
  analyze::Report merged;
  if (several) merged = analyze::merge(reports);
  if (options.json)
    return worse(exit, print(render::summary_json(reports, several ? &merged : nullptr, options.shown)));
  std::string text;
  for (const analyze::Report& report : reports)
    text += std::string(text.empty() ? "" : "\n\n") + render::summary_text(report, options.shown, options.style);
  if (several) text += std::string("\n\n") + render::merged_text(merged, reports.size(), options.shown, options.style);
  return worse(exit, print(text));
}

}  // namespace tl::tlreport
