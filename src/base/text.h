// Building short texts in a caller's buffer, and reading numbers, where stdio and the heap are out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tl {

// Always zero-terminated; what does not fit is cut and remembered.
class TextBuilder {
 public:
  TextBuilder(char* buffer, std::size_t capacity) : buffer_(buffer), capacity_(capacity) { buffer_[0] = 0; }

  TextBuilder& add(std::string_view text) {
    std::size_t n = text.size();
    if (n > capacity_ - 1 - size_) {
      n = capacity_ - 1 - size_;
      cut_ = true;
    }
    if (n != 0) std::memcpy(buffer_ + size_, text.data(), n);
    size_ += n;
    buffer_[size_] = 0;
    return *this;
  }
  TextBuilder& add(char c) { return add(std::string_view(&c, 1)); }
  TextBuilder& number(std::uint64_t value, unsigned least_digits = 1) {
    char digits[20];
    unsigned n = 0;
    do digits[19 - n++] = static_cast<char>('0' + value % 10);
    while (n < 20 && ((value /= 10) != 0 || n < least_digits));
    return add(std::string_view(digits + 20 - n, n));
  }
  TextBuilder& hex(std::uint64_t value) {
    char digits[16];
    unsigned n = 0;
    do digits[15 - n++] = "0123456789abcdef"[value & 15];
    while ((value >>= 4) != 0);
    return add(std::string_view(digits + 16 - n, n));
  }

  std::string_view view() const { return {buffer_, size_}; }
  std::size_t size() const { return size_; }
  bool cut() const { return cut_; }

 private:
  char* buffer_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

// The first n bytes, or all; what follows them. (string_view::substr would bring exceptions along.)
inline std::string_view head(std::string_view text, std::size_t n) {
  return {text.data(), n < text.size() ? n : text.size()};
}
inline std::string_view tail(std::string_view text, std::size_t n) {
  return n < text.size() ? std::string_view(text.data() + n, text.size() - n) : std::string_view();
}

// The decimal number that `text` begins with; advances `text` past it. False: no digit, or more than 64 bits.
inline bool parse_decimal(std::string_view& text, std::uint64_t& value) {
  std::size_t n = 0;
  value = 0;
  for (; n < text.size() && text[n] >= '0' && text[n] <= '9'; ++n) {
    if (__builtin_mul_overflow(value, 10u, &value)) return false;
    if (__builtin_add_overflow(value, static_cast<unsigned>(text[n] - '0'), &value)) return false;
  }
  text.remove_prefix(n);
  return n != 0;
}

// A glob of *, ? and \-escaped bytes against the whole text. No recursion: linear in the product of the lengths at
// worst.
inline bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    if (p < pattern.size() && !escaped && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && ((!escaped && pattern[p] == '?') || pattern[p + (escaped ? 1 : 0)] == text[t])) {
      p += escaped ? 2 : 1;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tl
