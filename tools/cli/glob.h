// Shell patterns over names of threads and scopes: * ? [abc] and \ before any of them.
#pragma once

#include <string>
#include <string_view>

namespace tl::cli {

// Bytes are compared as bytes: a name need not be UTF-8. An empty pattern matches the empty name only.
bool glob_matches(const std::string& pattern, std::string_view name);

}  // namespace tl::cli
