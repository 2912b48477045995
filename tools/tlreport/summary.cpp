#include <algorithm>
#include <cerrno>
#include <cstring>

#include "analyze/summary.h"
#include "cli/arguments.h"
#include "cli/glob.h"
#include "cli/message.h"
#include "read/parts.h"
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
  filter.scope_text = options.scope;
  filter.thread_text = options.thread;
  if (!options.scope.empty())
    filter.scope = [&](const std::string& name) { return cli::glob_matches(options.scope, name); };
  if (!options.thread.empty())
    filter.thread = [&](const std::string& name) { return cli::glob_matches(options.thread, name); };

  cli::Exit exit = cli::Exit::fine;
  std::vector<analyze::Report> reports;
  const std::vector<std::vector<std::string>> dumps = read::group_parts(options.files);
  for (const std::vector<std::string>& files : dumps) {
    read::Dump dump;
    const std::string failure = dump.open(files);
    if (!failure.empty()) {
      cli::error_line(failure);
      exit = worse(exit, cli::Exit::unusable);
      continue;
    }
    reports.push_back(analyze::summarize(dump, filter, options.commands,
                                         options.corrected ? analyze::View::corrected : analyze::View::raw));
    std::vector<std::string> reasons = reports.back().partial;
    const bool whole = reasons.empty();
    if (!reports.back().why_not_corrected.empty()) reasons.push_back(reports.back().why_not_corrected);
    if (reasons.empty()) continue;
    // "Partial" beside a sentence that nothing is missing would contradict it.
    std::string line = dump.path() + (whole || reasons.front().rfind("not closed", 0) == 0 ? ":" : ": partial:");
    for (const std::string& reason : reasons)
      line += std::string(" ") + reason + (&reason == &reasons.back() ? "" : ";");
    cli::error_line(line);
    exit = worse(exit, cli::Exit::partial);
  }
  if (reports.empty()) return exit;

  const bool several = dumps.size() > 1;
  const auto mergeable = std::count_if(reports.begin(), reports.end(), [&](const analyze::Report& report) {
    return analyze::why_not_merged(reports, report).empty() && !report.nothing_matches;
  });
  analyze::Report merged;
  const bool merging = mergeable > 1;
  if (merging) merged = analyze::merge(reports);
  if (options.json)
    return worse(exit, print(render::summary_json(reports, merging ? &merged : nullptr, options.shown, several)));
  std::string text;
  for (const analyze::Report& report : reports)
    text += std::string(text.empty() ? "" : "\n\n") + render::summary_text(report, options.shown, options.style);
  if (merging)
    text += "\n\n" + render::merged_text(merged, static_cast<std::size_t>(mergeable), options.shown, options.style);
  return worse(exit, print(text));
}

}  // namespace tl::tlreport
