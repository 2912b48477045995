// The `records` block: up to 256 consecutive common records of one thread as four columns (number, id, kind, time).
// A column is packed in lanes: each value's distance from the column's least, divided by what divides them all, in as
// many bits as fit most; what does not fit stands apart. Columns that spread too far for that are packed plainly.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/limits.h"
#include "dump/column_codec.h"
#include "dump/format.h"

namespace tl::dump {

struct RecordColumns {
  std::uint32_t count = 0;
  std::uint64_t first_sequence = 0;  // the first record's place among all ring records of its thread, from 0
  std::uint64_t ticks[kRecordsPerBlock];
  std::uint64_t number[kRecordsPerBlock];
  std::uint16_t id[kRecordsPerBlock];
  RecordKind kind[kRecordsPerBlock];
};

// Where an encoder works: 8 KiB of the caller's, who may have a small stack. Holds nothing between two calls.
struct EncoderMemory {
  SplitRecords split;
  ColumnMemory column;
  std::uint64_t wide[kRecordsPerBlock];
};

// Each writes the payload. header.count is the number of records, 1 to kRecordsPerBlock, and header.first_ticks the
// time of the first. Records must be common ones, and may lie where another thread writes on behind them. `steps`: of
// their clock, null where they are not known.
void encode_records(const RingRecord* records, std::uint32_t count, std::uint64_t first_sequence,
                    const StepFactors* steps, EncoderMemory& memory, ByteWriter& out,
                    const LaneCode& lanes = best_lanes());
// For numbers of more than a ring record's 40 bits too.
void encode_records(const RecordColumns& columns, EncoderMemory& memory, ByteWriter& out,
                    const LaneCode& lanes = best_lanes());

// False: the payload contradicts itself or its header, and nothing of it may be used.
bool decode_records(const BlockHeader& header, const void* payload, RecordColumns& columns,
                    const LaneCode& lanes = best_lanes());

}  // namespace tl::dump
