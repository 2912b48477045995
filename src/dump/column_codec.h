// One column of a `records` block, to bytes and back. FORMAT.md says what the bytes are; only records_codec asks here.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "dump/lanes.h"

namespace tl::dump {

// Where a column is encoded.
struct ColumnMemory {
  LaneWords values, reduced, packed;
  LaneDivisor divisor;       // of the block's column before, tried first: both are times of one clock
  const StepFactors* steps;  // of that clock, tried where nothing divides all; null: not known
};

// `values` of at most kMaxLaneValue, of which none is less than `least`. Patched: with a common divisor or in
// steps of the clock, and with exceptions.
void put_lane_column(LaneWords& values, std::uint32_t count, std::uint32_t least, bool patched, ColumnMemory& memory,
                     ByteWriter& out, const LaneCode& lanes);
void put_constant_column(std::uint32_t value, ByteWriter& out);

// Any values. They may be changed.
enum class Column {
  numbers,
  differences,  // of either sign, modulo 2^64; the first is none, and comes back as anything
};
void put_wide_column(std::uint64_t* values, std::uint32_t count, Column what, ColumnMemory& memory, ByteWriter& out,
                     const LaneCode& lanes);

// Each false: the bytes contradict themselves. `room` is for encoding 1, `count` values.
bool take_column(ByteReader& in, std::uint32_t count, Column what, std::uint64_t* values, const LaneCode& lanes);
bool take_ids(ByteReader& in, std::uint32_t count, std::uint64_t* room, std::uint16_t* ids, const LaneCode& lanes);
bool take_kinds(ByteReader& in, std::uint32_t count, std::uint64_t* room, RecordKind* kinds, const LaneCode& lanes);

// A column's first byte.
enum class ColumnEncoding : std::uint8_t { plain = 1, lanes = 2, steps = 3 };

constexpr std::uint32_t lane_rows(std::uint32_t count) { return (count + kLanes - 1) / kLanes; }

// An exception's place as it is written: ascending in the order in which the encoder finds them.
struct LanePlace {
  std::uint32_t lane, row;
  static constexpr LanePlace of(std::uint8_t byte) { return {byte / kLaneRows, byte % kLaneRows}; }
  constexpr std::uint8_t byte() const { return static_cast<std::uint8_t>(lane * kLaneRows + row); }
  constexpr std::uint32_t index() const { return row * kLanes + lane; }
};

// A lane's words but the last stand whole, the last one's bytes only as far as they hold something.
struct LaneSize {
  std::uint32_t whole_words, last_bytes;  // in each lane
  constexpr LaneSize(std::uint32_t rows, unsigned width)
      : whole_words(rows * width / 32), last_bytes((rows * width % 32 + 7) / 8) {}
};

}  // namespace tl::dump
