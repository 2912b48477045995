// The `scopes` block: up to 256 consecutive scope records of one thread as three columns (duration, id, time), each in
// frame of reference: the column's minimum, then each value's distance from it in as many bits as the largest needs.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/limits.h"
#include "dump/format.h"

namespace tl::dump {

struct ScopeColumns {
  std::uint32_t count = 0;
  std::uint64_t first_sequence = 0;  // the first record's place among all ring records of its thread, from 0
  std::uint64_t end_ticks[kRecordsPerBlock];
  std::uint64_t duration_ticks[kRecordsPerBlock];
  std::uint16_t id[kRecordsPerBlock];
};

// Writes the payload; header.count is columns.count and header.first_ticks is columns.end_ticks[0].
void encode_scopes(const ScopeColumns& columns, ByteWriter& out);

// False: the payload contradicts itself or its header, and nothing of it may be used.
bool decode_scopes(const BlockHeader& header, const void* payload, ScopeColumns& columns);

}  // namespace tl::dump
