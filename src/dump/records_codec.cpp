#include "dump/records_codec.h"

namespace tl::dump {

namespace {

constexpr std::uint8_t kFrameOfReference = 1;

unsigned bits_of(std::uint64_t value) { return value == 0 ? 0 : 64u - static_cast<unsigned>(__builtin_clzll(value)); }

std::size_t packed_bytes(std::uint32_t count, unsigned width) { return (std::size_t{count} * width + 7) / 8; }

void encode_column(const std::uint64_t* values, std::uint32_t count, ByteWriter& out) {
  std::uint64_t lowest = values[0], highest = values[0];
  for (std::uint32_t i = 1; i < count; ++i) {
    lowest = values[i] < lowest ? values[i] : lowest;
    highest = values[i] > highest ? values[i] : highest;
  }
  const unsigned width = bits_of(highest - lowest);
  out.fixed(kFrameOfReference);
  out.fixed(static_cast<std::uint8_t>(width));
  out.fixed(lowest);
  unsigned char packed[packed_bytes(kRecordsPerBlock, 64)];
  std::size_t size = 0;
  unsigned __int128 pending = 0;  // bits that do not fill a byte yet, lowest first
  unsigned pending_bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    pending |= static_cast<unsigned __int128>(values[i] - lowest) << pending_bits;
    for (pending_bits += width; pending_bits >= 8; pending_bits -= 8, pending >>= 8)
      packed[size++] = static_cast<unsigned char>(pending);
  }
  if (pending_bits > 0) packed[size++] = static_cast<unsigned char>(pending);
  out.raw(packed, size);
}

bool decode_column(ByteReader& in, std::uint32_t count, std::uint64_t* values) {
  const auto encoding = in.fixed<std::uint8_t>();
  const unsigned width = in.fixed<std::uint8_t>();
  const auto lowest = in.fixed<std::uint64_t>();
  if (in.failed() || encoding != kFrameOfReference || width > 64) return false;
  const unsigned char* packed = in.raw(packed_bytes(count, width));
  if (packed == nullptr) return false;
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  unsigned __int128 pending = 0;
  unsigned pending_bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (; pending_bits < width; pending_bits += 8)
      pending |= static_cast<unsigned __int128>(*packed++) << pending_bits;
    values[i] = lowest + (static_cast<std::uint64_t>(pending) & mask);
    pending >>= width;
    pending_bits -= width;
  }
  return true;
}

}  // namespace

void encode_records(const RecordColumns& columns, ByteWriter& out) {
  std::uint64_t column[kRecordsPerBlock];
  out.fixed(columns.first_sequence);
  encode_column(columns.number, columns.count, out);
  for (std::uint32_t i = 0; i < columns.count; ++i) column[i] = columns.id[i];
  encode_column(column, columns.count, out);
  for (std::uint32_t i = 0; i < columns.count; ++i) column[i] = static_cast<std::uint8_t>(columns.kind[i]);
  encode_column(column, columns.count, out);
  column[0] = 0;
  for (std::uint32_t i = 1; i < columns.count; ++i) column[i] = zigzag(columns.ticks[i] - columns.ticks[i - 1]);
  encode_column(column, columns.count, out);
}

bool decode_records(const BlockHeader& header, const void* payload, RecordColumns& columns) {
  if (header.count == 0 || header.count > kRecordsPerBlock) return false;
  ByteReader in(payload, header.payload_bytes);
  columns.count = header.count;
  columns.first_sequence = in.fixed<std::uint64_t>();
  std::uint64_t column[kRecordsPerBlock];
  if (!decode_column(in, header.count, columns.number) || !decode_column(in, header.count, column)) return false;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    if (column[i] == 0 || column[i] > kMaxScopeIds) return false;
    columns.id[i] = static_cast<std::uint16_t>(column[i]);
  }
  if (!decode_column(in, header.count, column)) return false;
  for (std::uint32_t i = 0; i < header.count; ++i) {
    columns.kind[i] = static_cast<RecordKind>(column[i]);
    if (column[i] > 0xff || !is_common(columns.kind[i])) return false;
  }
  if (!decode_column(in, header.count, column) || in.left() != 0) return false;
  std::uint64_t ticks = header.first_ticks;
  for (std::uint32_t i = 0; i < header.count; ++i) columns.ticks[i] = ticks += i == 0 ? 0 : unzigzag(column[i]);
  return true;
}

}  // namespace tl::dump
