// Numbers in words, for sentences: "1.25 ms", "4.00 KiB", "33-64 B", "12 %".
#pragma once

#include <cstdint>
#include <string>

namespace tl::analyze {

// Ticks where a dump does not tell how long one is: then no number of it may be called nanoseconds.
enum class TimeUnit { ns, ticks };

std::string time_words(double time, TimeUnit unit = TimeUnit::ns);  // three significant digits and a unit
std::string byte_words(std::uint64_t bytes);
std::string count_words(std::uint64_t n);                                           // 1,234,567
std::string counted(std::uint64_t n, const char* one, const char* many = nullptr);  // "1 call", "1,234 calls"
std::string share_words(double part, double whole);
// The same where some must not look like none, nor nearly all like all: "< 0.1 %", "> 99 %".
std::string share_of_some_words(std::uint64_t part, std::uint64_t whole);
// The requests of a class: "33-64 B", ">16-32 KiB" (over 16 and up to 32), ">32 TiB".
std::string size_class_words(unsigned size_class);
std::string signal_words(int number);               // "signal 15 (SIGTERM)"
std::string shell_quoted(const std::string& text);  // as a word for the shell, quoted only where it must be

}  // namespace tl::analyze
