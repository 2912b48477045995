// Columns of small numbers, eight side by side: the loops that make a `records` block and take it apart. One source
// (lanes_code.h) is built twice, for processors with AVX2 and for any; both give the same bytes.
//
// A packed column is a row of up to 32 bits after another in each of eight lanes: value i lies in lane i % 8, row i
// / 8.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/limits.h"
#include "dump/clock_steps.h"
#include "dump/format.h"

namespace tl::dump {

constexpr std::uint32_t kLanes = 8;
constexpr std::uint32_t kLaneRows = kRecordsPerBlock / kLanes;
constexpr unsigned kMaxLaneBits = 31;  // so that values compare as signed numbers, which every vector unit can do
constexpr std::uint32_t kMaxLaneValue = (std::uint32_t{1} << kMaxLaneBits) - 1;

// One column's values, or its packed words with room for the word after the last.
struct LaneWords {
  alignas(32) std::uint32_t at[kRecordsPerBlock + kLanes];
};

// Ring records taken apart. Where wide_* is set, the column holds numbers above kMaxLaneValue and must not be used.
struct SplitRecords {
  LaneWords gap, number, id;  // gap: ticks since the record before; the first is not set
  std::uint32_t least_gap, least_number, least_id;
  bool wide_gap, wide_number, mixed_kinds;
};

// d = odd << twos. (x * inverse) rotated right by `twos` is x / d where d divides x, and above kMaxLaneValue / d else.
struct LaneDivisor {
  std::uint32_t value, inverse;
  unsigned twos;
};
constexpr LaneDivisor kNoDivisor = {1, 1, 0};

struct Stepped {
  std::uint32_t least;
  bool holds;   // all are as many steps, to a tick; else none of this counts
  bool uneven;  // some are a tick more or less
};

struct LaneCode {
  void (*split)(const RingRecord* records, std::uint32_t count, SplitRecords& out);
  // (values - least) / divisor of whole rows; returns all results or-ed together.
  std::uint32_t (*reduce)(const std::uint32_t* values, std::uint32_t rows, std::uint32_t least,
                          const LaneDivisor& divisor, std::uint32_t* reduced);
  // kRests x steps + rest of whole rows.
  Stepped (*to_steps)(const std::uint32_t* values, std::uint32_t rows, const StepFactors& factors,
                      std::uint32_t* stepped);
  std::uint32_t (*count_above)(const std::uint32_t* values, std::uint32_t rows, std::uint32_t bound);
  // Of each lane a bit for each row whose value is above the bound.
  void (*find_above)(const std::uint32_t* values, std::uint32_t rows, std::uint32_t bound, std::uint32_t* found);
  // The lowest `width` bits of each value into words: of each lane its first word, then of each its second, and so on.
  void (*pack)(const std::uint32_t* values, std::uint32_t rows, unsigned width, std::uint32_t* words);
  // Reads one word a lane beyond the last.
  void (*unpack)(const std::uint32_t* words, std::uint32_t rows, unsigned width, std::uint32_t* values);
  // least + factor * values, in 64 bits.
  void (*expand)(const std::uint32_t* values, std::uint32_t count, std::uint64_t least, std::uint32_t factor,
                 std::uint64_t* out);
  // Back from such to ticks. Returns them as they were or-ed together.
  std::uint64_t (*from_steps)(std::uint64_t* values, std::uint32_t count, std::uint32_t step, unsigned shift);
  // expand() with factor 1 in 16 bits, and in 8. Each returns its 32-bit results or-ed together, the first also each
  // result less 1: a result that is 0 or does not fit shows in the bits above.
  std::uint32_t (*expand_ids)(const std::uint32_t* values, std::uint32_t count, std::uint32_t least,
                              std::uint16_t* out);
  std::uint32_t (*expand_kinds)(const std::uint32_t* values, std::uint32_t count, std::uint32_t least, RecordKind* out);
};

extern const LaneCode kBaselineLanes;
const LaneCode* avx2_lanes();  // null where the processor or its kernel has none
const LaneCode& best_lanes();

}  // namespace tl::dump
