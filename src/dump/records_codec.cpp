#include "dump/records_codec.h"

namespace tl::dump {

void encode_records(const RingRecord* records, std::uint32_t count, std::uint64_t first_sequence,
                    const StepFactors* steps, EncoderMemory& memory, ByteWriter& out, const LaneCode& lanes) {
  SplitRecords& split = memory.split;
  memory.column.divisor = kNoDivisor;
  memory.column.steps = steps;
  out.fixed(first_sequence);
  lanes.split(records, count, split);
  if (split.wide_number) {
    for (std::uint32_t i = 0; i < count; ++i) memory.wide[i] = number_of(records[i].word);
    put_wide_column(memory.wide, count, Column::numbers, memory.column, out, lanes);
  } else {
    put_lane_column(split.number, count, split.least_number, true, memory.column, out, lanes);
  }
  put_lane_column(split.id, count, split.least_id, false, memory.column, out, lanes);
  if (split.mixed_kinds) {
    LaneWords& kinds = memory.column.values;
    for (std::uint32_t i = 0; i < count; ++i) kinds.at[i] = static_cast<std::uint32_t>(kind_of(records[i].word));
    put_lane_column(kinds, count, 0, false, memory.column, out, lanes);
  } else {
    put_constant_column(static_cast<std::uint32_t>(kind_of(records[0].word)), out);
  }
  if (split.wide_gap) {
    for (std::uint32_t i = 1; i < count; ++i) memory.wide[i] = records[i].ticks - records[i - 1].ticks;
    put_wide_column(memory.wide, count, Column::differences, memory.column, out, lanes);
  } else {
    split.gap.at[0] = split.least_gap;
    put_lane_column(split.gap, count, split.least_gap, true, memory.column, out, lanes);
  }
}

void encode_records(const RecordColumns& columns, EncoderMemory& memory, ByteWriter& out, const LaneCode& lanes) {
  const std::uint32_t count = columns.count;
  LaneWords& small = memory.column.values;
  const auto put_small = [&](const auto* values) {
    std::uint32_t least = ~std::uint32_t{0};
    for (std::uint32_t i = 0; i < count; ++i) {
      small.at[i] = static_cast<std::uint32_t>(values[i]);
      least = small.at[i] < least ? small.at[i] : least;
    }
    put_lane_column(small, count, least, false, memory.column, out, lanes);
  };
  memory.column.divisor = kNoDivisor;
  memory.column.steps = nullptr;
  out.fixed(columns.first_sequence);
  for (std::uint32_t i = 0; i < count; ++i) memory.wide[i] = columns.number[i];
  put_wide_column(memory.wide, count, Column::numbers, memory.column, out, lanes);
  put_small(columns.id);
  put_small(columns.kind);
  for (std::uint32_t i = 1; i < count; ++i) memory.wide[i] = columns.ticks[i] - columns.ticks[i - 1];
  put_wide_column(memory.wide, count, Column::differences, memory.column, out, lanes);
}

bool decode_records(const BlockHeader& header, const void* payload, RecordColumns& columns, const LaneCode& lanes) {
  const std::uint32_t count = header.count;
  if (count == 0 || count > kRecordsPerBlock) return false;
  ByteReader in(payload, header.payload_bytes);
  columns.count = count;
  columns.first_sequence = in.fixed<std::uint64_t>();
  if (!take_column(in, count, Column::numbers, columns.number, lanes)) return false;
  if (!take_ids(in, count, columns.ticks, columns.id, lanes)) return false;
  if (!take_kinds(in, count, columns.ticks, columns.kind, lanes)) return false;
  if (!take_column(in, count, Column::differences, columns.ticks, lanes) || in.left() != 0) return false;
  columns.ticks[0] = header.first_ticks;
  for (std::uint32_t i = 1; i < count; ++i) columns.ticks[i] += columns.ticks[i - 1];
  return true;
}

}  // namespace tl::dump
