// The columns of a `records` block as FORMAT.md describes them, bit by bit and slowly: what the codec is held against.
// Nothing of the codec is used here.
#pragma once

#include <cstdint>
#include <vector>

namespace tl::test {

using Bytes = std::vector<unsigned char>;

struct ReferenceColumn {
  unsigned encoding = 2, width = 0;
  std::uint64_t least = 0, divisor = 1;
  std::uint64_t step = 0;  // of encoding 3, in ticks x 2^shift
  unsigned shift = 0;
  // (value - least) / divisor, or 3 x steps + rest - least; in encodings 2 and 3 what exceeds `width` is an exception.
  std::vector<std::uint64_t> reduced;
};

// What value `reduced` stands for.
inline std::uint64_t reference_value(const ReferenceColumn& column, std::uint64_t reduced) {
  if (column.encoding != 3) return column.least + column.divisor * reduced;
  const std::uint64_t stepped = column.least + reduced, steps = stepped / 3;
  const unsigned __int128 doubled = static_cast<unsigned __int128>(steps) * column.step * 2;
  const unsigned __int128 rounded = (doubled + (std::uint64_t{1} << column.shift)) >> (column.shift + 1);
  return static_cast<std::uint64_t>(rounded) + stepped % 3 - 1;
}

inline void put_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 128; value /= 128) out.push_back(static_cast<unsigned char>(128 + value % 128));
  out.push_back(static_cast<unsigned char>(value));
}

inline void set_bit(Bytes& bytes, std::size_t bit) { bytes.at(bit / 8) |= static_cast<unsigned char>(1u << bit % 8); }

inline Bytes reference_bytes(const ReferenceColumn& column) {
  const std::size_t count = column.reduced.size(), width = column.width;
  Bytes out = {static_cast<unsigned char>(column.encoding), static_cast<unsigned char>(width)};
  if (column.encoding == 1) {
    for (unsigned i = 0; i < 8; ++i) out.push_back(static_cast<unsigned char>(column.least >> 8 * i));
    Bytes packed((count * width + 7) / 8);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t bit = 0; bit < width; ++bit)
        if (column.reduced[i] >> bit & 1) set_bit(packed, i * width + bit);
    out.insert(out.end(), packed.begin(), packed.end());
    return out;
  }
  const std::size_t rows = (count + 7) / 8, lane_bits = rows * width;
  std::vector<Bytes> lanes(8, Bytes(lane_bits / 8 + 8));
  Bytes places, rests;
  for (std::size_t lane = 0; lane < 8; ++lane)
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t i = row * 8 + lane;
      if (i >= count) continue;
      for (std::size_t bit = 0; bit < width; ++bit)
        if (column.reduced[i] >> bit & 1) set_bit(lanes[lane], row * width + bit);
      if (column.reduced[i] >> width == 0) continue;
      places.push_back(static_cast<unsigned char>(32 * lane + row));
      put_varint(rests, column.reduced[i] >> width);
    }
  out.push_back(static_cast<unsigned char>(places.size()));
  put_varint(out, column.least);
  if (column.encoding == 3) {
    out.push_back(static_cast<unsigned char>(column.shift));
    for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<unsigned char>(column.step >> 8 * i));
  } else {
    put_varint(out, column.divisor);
  }
  const std::size_t full_words = lane_bits / 32;
  for (std::size_t word = 0; word < full_words; ++word)
    for (const Bytes& lane : lanes)
      for (std::size_t byte = 0; byte < 4; ++byte) out.push_back(lane[4 * word + byte]);
  for (std::size_t byte = 4 * full_words; 8 * byte < lane_bits; ++byte)
    for (const Bytes& lane : lanes) out.push_back(lane[byte]);
  out.insert(out.end(), places.begin(), places.end());
  out.insert(out.end(), rests.begin(), rests.end());
  return out;
}

// What the header of a column says; `reduced` is left for the caller, who knows the values.
inline ReferenceColumn reference_header(const Bytes& bytes) {
  ReferenceColumn column;
  column.encoding = bytes.at(0);
  column.width = bytes.at(1);
  std::size_t at = column.encoding == 1 ? 2 : 3;
  if (column.encoding == 1) {
    for (unsigned i = 0; i < 8; ++i) column.least |= std::uint64_t{bytes.at(at++)} << 8 * i;
    return column;
  }
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char byte = bytes.at(at++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  };
  column.least = varint();
  if (column.encoding == 3) {
    column.shift = bytes.at(at++);
    for (unsigned i = 0; i < 4; ++i) column.step |= std::uint64_t{bytes.at(at++)} << 8 * i;
  } else {
    column.divisor = varint();
  }
  return column;
}

}  // namespace tl::test
