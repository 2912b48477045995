// Names come from the program that was watched, and may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace tl::render {

// For a terminal: bytes that are no UTF-8, control characters (escape sequences among them) and the invisible ones that
// turn the direction of writing become \xNN, a backslash becomes two.
std::string visible(std::string_view bytes);

// For JSON: each byte that is no UTF-8 becomes U+FFFD.
std::string utf8(std::string_view bytes);

// Columns of a terminal that `text` takes: one for each code point.
std::size_t columns_of(std::string_view text);

}  // namespace tl::render
