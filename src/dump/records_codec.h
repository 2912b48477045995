// The `records` block: up to 256 consecutive common records of one thread as four columns (number, id, kind, time),
// each in frame of reference: the column's minimum, then each value's distance from it in as many bits as the largest
// needs.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/limits.h"
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

// Writes the payload; header.count is columns.count and header.first_ticks is columns.ticks[0].
void encode_records(const RecordColumns& columns, ByteWriter& out);

// False: the payload contradicts itself or its header, and nothing of it may be used.
bool decode_records(const BlockHeader& header, const void* payload, RecordColumns& columns);

}  // namespace tl::dump
