#include "cli/glob.h"

#include <fnmatch.h>

namespace tl::cli {

// The tools never call setlocale(), so fnmatch() works on bytes and a name that is no UTF-8 still matches.
bool glob_matches(const std::string& pattern, std::string_view name) {
  return fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0;
}

}  // namespace tl::cli
