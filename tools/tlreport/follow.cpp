// tlreport follow: twice a second what a growing dump holds.
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "analyze/live.h"
#include "cli/arguments.h"
#include "cli/glob.h"
#include "cli/message.h"
#include "read/follower.h"
#include "render/live.h"
#include "tlreport/commands.h"

namespace tl::tlreport {

namespace {

constexpr long kIntervalMs = 500;
constexpr unsigned kRowsElsewhere = 40;  // where there is no terminal

// Ctrl-C and its kin end the view, not the report: they are waited for, not handled.
class Interrupts {
 public:
  Interrupts() {
    sigemptyset(&set_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set_, number);
    sigprocmask(SIG_BLOCK, &set_, nullptr);
  }
  // Sleeps until the interval is over; true: somebody wants an end.
  bool wait() const {
    const timespec interval = {0, kIntervalMs * 1000000};
    return sigtimedwait(&set_, nullptr, &interval) > 0;
  }

 private:
  sigset_t set_;
};

// Text that takes the place of the last one on a terminal, and follows it elsewhere.
class Screen {
 public:
  Screen() : in_place_(isatty(STDOUT_FILENO) == 1) {}
  unsigned rows() const {
    winsize size{};
    if (!in_place_ || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row < 8) return kRowsElsewhere;
    return size.ws_row - 5u;  // what stands around the table
  }
  cli::Exit show(const std::string& text) {
    std::string out = in_place_ && lines_ > 0 ? "\x1b[" + std::to_string(lines_) + "A\r\x1b[J" : "";
    if (!in_place_ && any_) out += "\n";
    lines_ = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    any_ = true;
    return print(out + text);
  }

 private:
  bool in_place_, any_ = false;
  std::size_t lines_ = 0;
};

}  // namespace

cli::Exit follow(const Options& options) {
  const std::string& path = options.files.front();
  std::function<bool(const std::string&)> scope;
  if (!options.scope.empty()) scope = [&](const std::string& name) { return cli::glob_matches(options.scope, name); };
  const Interrupts interrupts;
  Screen screen;
  read::Follower follower(path);
  analyze::LiveTimes times;
  auto last = std::chrono::steady_clock::now();
  bool said_waiting = false, said_unmade = false;
  do {
    const auto step =
        follower.step([&](const read::RecordRun& run) { times.take(run); }, [&] { times = analyze::LiveTimes(); });
    if (!step.failure.empty()) {
      cli::error_line("cannot read '" + path + "': " + step.failure + "; accepted: a dump made by libtelemetry");
      return cli::Exit::unusable;
    }
    if (step.replaced) cli::error_line("'" + path + "' is another dump now");
    if (step.state == read::Follower::State::waiting) {
      if (!said_waiting) cli::error_line("waiting for '" + path + "'");
      if (step.unmade && !said_unmade)
        cli::error_line("'" + path + "' cannot be written so far; 'tlreport " + path + "' shows what waits in memory");
      said_waiting = true;
      said_unmade = said_unmade || step.unmade;
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    const bool ended = step.state == read::Follower::State::ended;
    const analyze::LiveView view =
        times.view(*follower.dump(), std::chrono::duration<double>(now - last).count(), scope, ended);
    last = now;
    const render::Style style = {cli::terminal_of_stdout("auto").columns, options.style.color};
    cli::Exit exit =
        options.json ? print(render::live_json(view)) : screen.show(render::live_text(view, style, screen.rows()));
    if (exit == cli::Exit::fine && ended && !options.json) exit = print(render::live_end_text(view, style));
    if (exit != cli::Exit::fine) return exit;
    if (!ended) continue;
    if (view.partial.empty()) return cli::Exit::fine;
    std::string line = path + ": partial:";
    for (const std::string& reason : view.partial)
      line += std::string(" ") + reason + (&reason == &view.partial.back() ? "" : ";");
    cli::error_line(line);
    return cli::Exit::partial;
  } while (!interrupts.wait());
  return cli::Exit::fine;
}

}  // namespace tl::tlreport
