#include "cli/library.h"

#include <filesystem>

#include "analyze/words.h"

namespace tl::cli {

namespace fs = std::filesystem;

std::string own_directory() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path().string();
}

std::string find_library(std::string& error) {
  const fs::path own = own_directory();
#if defined(__x86_64__)
  constexpr const char* kMultiarch = "../lib/x86_64-linux-gnu";
#else
  constexpr const char* kMultiarch = "../lib/aarch64-linux-gnu";
#endif
  for (const char* directory : {".", "../lib", kMultiarch, "../lib64"}) {
    std::error_code missing;
    const fs::path library = fs::canonical(own / directory / "libtelemetry.so", missing);
    if (missing) continue;
    // The loader splits LD_PRELOAD at both, and knows no way to quote them.
    if (library.string().find_first_of(" :") == std::string::npos) return library.string();
    error = "LD_PRELOAD cannot hold a space or a colon; move " + analyze::shell_quoted(library.string());
    return {};
  }
  error = "libtelemetry.so is neither beside this tool nor in ../lib: looked in " + analyze::shell_quoted(own.string());
  return {};
}

std::string as_output(const std::string& path) {
  std::string pattern;
  for (const char c : path) pattern += c == '%' ? "%%" : std::string(1, c);
  return pattern;
}

}  // namespace tl::cli
