#include "dump/column_codec.h"

namespace tl::dump {

namespace {

// A packed column's header, read and checked.
struct Header {
  unsigned width = 0;
  std::uint32_t exceptions = 0;
  std::uint64_t least = 0, divisor = 1;
  unsigned shift = 0;      // 0: not in steps
  std::uint32_t step = 0;  // in 2^-shift ticks
};

bool take_header(ByteReader& in, ColumnEncoding encoding, Header& header) {
  header.width = in.fixed<std::uint8_t>();
  header.exceptions = in.fixed<std::uint8_t>();
  header.least = in.varint();
  if (encoding == ColumnEncoding::steps) {
    header.shift = in.fixed<std::uint8_t>();
    header.step = in.fixed<std::uint32_t>();
    if (header.shift == 0 || header.shift > 31) return false;
  } else {
    header.divisor = in.varint();
    if (encoding != ColumnEncoding::lanes || header.divisor == 0 || header.divisor > kMaxLaneValue) return false;
  }
  return !in.failed() && header.width <= kMaxLaneBits;
}

bool take_lanes(ByteReader& in, std::uint32_t count, unsigned width, LaneWords& values, const LaneCode& lanes) {
  const std::uint32_t rows = lane_rows(count);
  const LaneSize size(rows, width);
  const std::uint32_t whole = size.whole_words * kLanes;
  const unsigned char* bytes = in.raw(whole * sizeof(std::uint32_t));
  const unsigned char* last = in.raw(size.last_bytes * kLanes);
  if (bytes == nullptr || last == nullptr) return false;
  LaneWords packed;
  std::memcpy(packed.at, bytes, whole * sizeof(std::uint32_t));
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::uint32_t word = 0;
    for (std::uint32_t byte = 0; byte < size.last_bytes; ++byte)
      word |= static_cast<std::uint32_t>(last[byte * kLanes + lane]) << 8 * byte;
    packed.at[whole + lane] = word;
  }
  lanes.unpack(packed.at, rows, width, values.at);
  return true;
}

bool take_plain(ByteReader& in, std::uint32_t count, std::uint64_t* values) {
  const unsigned width = in.fixed<std::uint8_t>();
  const auto least = in.fixed<std::uint64_t>();
  if (in.failed() || width > 64) return false;
  const unsigned char* packed = in.raw((std::size_t{count} * width + 7) / 8);
  if (packed == nullptr) return false;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  unsigned __int128 pending = 0;
  unsigned bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (; bits < width; bits += 8) pending |= static_cast<unsigned __int128>(*packed++) << bits;
    values[i] = least + (static_cast<std::uint64_t>(pending) & mask);
    pending >>= width;
    bits -= width;
  }
  return true;
}

// Adds what did not fit to the values that stand in the column already.
bool take_exceptions(ByteReader& in, std::uint32_t count, const Header& header, std::uint64_t* values) {
  const unsigned char* places = in.raw(header.exceptions);
  if (places == nullptr) return false;
  for (std::uint32_t i = 0; i < header.exceptions; ++i) {
    if (i > 0 && places[i] <= places[i - 1]) return false;
    const std::uint32_t index = LanePlace::of(places[i]).index();
    const std::uint64_t rest = in.varint();
    if (index >= count || rest << header.width >> header.width != rest) return false;
    values[index] += (rest << header.width) * header.divisor;
  }
  return !in.failed();
}

// Of ids and kinds: no exceptions and no divisor.
bool take_small(ByteReader& in, std::uint32_t count, std::uint32_t& least, LaneWords& values, const LaneCode& lanes) {
  Header header;
  if (!take_header(in, ColumnEncoding::lanes, header) || header.exceptions != 0 || header.divisor != 1) return false;
  if (header.width > 16 || header.least > 0xffff) return false;
  least = static_cast<std::uint32_t>(header.least);
  return take_lanes(in, count, header.width, values, lanes);
}

}  // namespace

bool take_column(ByteReader& in, std::uint32_t count, Column what, std::uint64_t* values, const LaneCode& lanes) {
  const auto encoding = in.fixed<ColumnEncoding>();
  if (encoding == ColumnEncoding::plain) {
    if (!take_plain(in, count, values)) return false;
    for (std::uint32_t i = 0; what == Column::differences && i < count; ++i) values[i] = unzigzag(values[i]);
    return true;
  }
  Header header;
  LaneWords packed;
  if (!take_header(in, encoding, header)) return false;
  if (!take_lanes(in, count, header.width, packed, lanes)) return false;
  lanes.expand(packed.at, count, header.least, static_cast<std::uint32_t>(header.divisor), values);
  if (!take_exceptions(in, count, header, values)) return false;
  return header.shift == 0 || lanes.from_steps(values, count, header.step, header.shift) <= kMostStepped;
}

bool take_ids(ByteReader& in, std::uint32_t count, std::uint64_t* room, std::uint16_t* ids, const LaneCode& lanes) {
  const auto encoding = in.fixed<ColumnEncoding>();
  if (encoding == ColumnEncoding::plain) {
    if (!take_plain(in, count, room)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (room[i] == 0 || room[i] > kMaxScopeIds) return false;
      ids[i] = static_cast<std::uint16_t>(room[i]);
    }
    return true;
  }
  LaneWords values;
  std::uint32_t least;
  return encoding == ColumnEncoding::lanes && take_small(in, count, least, values, lanes) &&
         lanes.expand_ids(values.at, count, least, ids) <= kMaxScopeIds;
}

bool take_kinds(ByteReader& in, std::uint32_t count, std::uint64_t* room, RecordKind* kinds, const LaneCode& lanes) {
  const auto encoding = in.fixed<ColumnEncoding>();
  if (encoding == ColumnEncoding::plain) {
    if (!take_plain(in, count, room)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      kinds[i] = static_cast<RecordKind>(room[i]);
      if (room[i] > 0xff || !is_common(kinds[i])) return false;
    }
    return true;
  }
  LaneWords values;
  std::uint32_t least;
  return encoding == ColumnEncoding::lanes && take_small(in, count, least, values, lanes) &&
         lanes.expand_kinds(values.at, count, least, kinds) < 0x80;
}

}  // namespace tl::dump
