// Numbers in words, for sentences: "1.25 ms", "4.0 KiB", "33 to 64 bytes", "12 %".
#pragma once

#include <cstdint>
#include <string>

namespace tl::analyze {

std::string time_words(double ns);  // three significant digits and a unit
std::string byte_words(std::uint64_t bytes);
std::string count_words(std::uint64_t n);  // 1,234,567
std::string share_words(double part, double whole);
std::string size_class_words(unsigned size_class);  // the requests of a class: "33 to 64 bytes"
std::string shell_quoted(const std::string& text);  // as a word for the shell, quoted only where it must be

}  // namespace tl::analyze
