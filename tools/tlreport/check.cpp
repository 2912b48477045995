#include "analyze/check.h"

#include "cli/message.h"
#include "read/parts.h"
#include "render/check.h"
#include "tlreport/commands.h"

namespace tl::tlreport {

cli::Exit check(const Options& options) {
  cli::Exit exit = cli::Exit::fine;
  std::vector<analyze::Check> checks;
  for (const std::vector<std::string>& files : read::group_parts(options.files)) {
    read::Dump dump;
    const std::string failure = dump.open(files);
    if (!failure.empty()) {
      cli::error_line(failure);
      exit = worse(exit, cli::Exit::unusable);
      continue;
    }
    checks.push_back(analyze::check(dump));
    if (checks.back().whole) continue;
    std::string line = dump.path() + ": not whole:";
    const std::vector<std::string>& missing = checks.back().missing;
    for (const std::string& text : missing) line += std::string(" ") + text + (&text == &missing.back() ? "" : ";");
    cli::error_line(line);
    exit = worse(exit, cli::Exit::partial);
  }
  if (checks.empty()) return exit;
  if (options.json) return worse(exit, print(render::check_json(checks)));
  std::string text;
  for (const analyze::Check& one : checks)
    text += std::string(text.empty() ? "" : "\n") + render::check_text(one, options.style);
  return worse(exit, print(text));
}

}  // namespace tl::tlreport
