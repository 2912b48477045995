#include "cli/arguments.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cli/exit_codes.h"
#include "cli/message.h"

namespace tl::cli {

namespace {
constexpr unsigned kFewestColumns = 40;  // what is narrower wraps by itself
}

std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments, std::string_view help) {
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // CLI11 takes them from the back
    app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    write_stdout(help);
    return status_of(Exit::fine);
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + "\n");
    return status_of(Exit::fine);
  } catch (const CLI::ParseError& error) {
    error_line(std::string(error.what()) + "; --help shows what is accepted");
    return status_of(Exit::usage);
  }
}

std::string find_option(const std::vector<std::string>& arguments, const std::vector<std::string_view>& names) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    if (std::find(names.begin(), names.end(), name) != names.end()) return std::string(name);
  }
  return {};
}

std::vector<std::string> percentile_list(const std::string& text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string one = text.substr(at, end - at);
    const bool digits = !one.empty() && one.size() <= 20 && one.find_first_not_of("0123456789.") == std::string::npos &&
                        one.front() != '.' && one.back() != '.' && std::count(one.begin(), one.end(), '.') <= 1;
    if (!digits || std::strtod(one.c_str(), nullptr) > 100) return {};
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
    at = end + 1;
  }
  return list;
}

Terminal terminal_of_stdout(const std::string& color) {
  Terminal out;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  if (is_terminal) {
    winsize size{};
    out.columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }
  if (const char* asked = std::getenv("COLUMNS")) {  // as ls and perf have it: whatever stdout is
    char* end = nullptr;
    const long columns = std::strtol(asked, &end, 10);
    if (end != asked && *end == '\0' && columns > 0 && columns < 100000) out.columns = static_cast<unsigned>(columns);
  }
  if (out.columns > 0) out.columns = std::max(out.columns, kFewestColumns);
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool unwanted = std::getenv("NO_COLOR") != nullptr;  // https://no-color.org
  out.color = color == "always" || (color == "auto" && is_terminal && !dumb && !unwanted);
  return out;
}

std::string callable_as(const std::string& argv0) {
  if (argv0.find('/') != std::string::npos) return argv0;
  const char* path = std::getenv("PATH");
  const std::string_view all = path != nullptr ? path : "";
  for (std::size_t at = 0; !argv0.empty() && at < all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    if (access((std::string(all.substr(at, end - at)) + "/" + argv0).c_str(), X_OK) == 0) return argv0;
    at = end + 1;
  }
  std::error_code ignored;
  const std::string real = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  return real.empty() ? argv0 : real;
}

std::string beside(const std::string& called_as, const std::string& name) {
  const std::size_t slash = called_as.rfind('/');
  return slash == std::string::npos ? name : called_as.substr(0, slash + 1) + name;
}

bool write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace tl::cli
