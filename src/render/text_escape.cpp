#include "render/text_escape.h"

#include <fmt/format.h>

#include <cstdint>

namespace tl::render {

namespace {

// Length of the UTF-8 sequence at the start of `bytes`, 0 if there is none; overlong forms, surrogates and what lies
// beyond U+10FFFF are none.
std::size_t sequence_length(std::string_view bytes, std::uint32_t& code) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    code = first;
    return 1;
  }
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first > 0xf4 || bytes.size() < length) return 0;
  code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
  return length;
}

bool must_be_escaped(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string visible(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_length(bytes, code);
    const std::size_t step = length == 0 ? 1 : length;
    if (length == 0 || must_be_escaped(code)) {
      for (std::size_t i = 0; i < step; ++i) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[i]));
    } else {
      if (code == '\\') out += '\\';
      out += bytes.substr(0, step);
    }
    bytes.remove_prefix(step);
  }
  return out;
}

std::string utf8(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    std::uint32_t code = 0;
    const std::size_t length = sequence_length(bytes, code);
    if (length == 0)
      out += "\xef\xbf\xbd";
    else
      out += bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

}  // namespace tl::render
