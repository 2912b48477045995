// Records into blocks, as the drain makes them, and the least that can be done with as many: reading them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dump/lanes.h"
#include "dump/records_codec.h"
#include "tlbench/timed.h"

namespace tl::tlbench {

// What there is to encode, as it lies in a ring, and where the result goes: nowhere.
struct Encoding {
  std::vector<dump::RingRecord> records;  // a multiple of a block's
  std::size_t next = 0;
  const dump::LaneCode* avx2 = dump::avx2_lanes();  // once: asking the processor is an exit to the host of a guest
  dump::EncoderMemory memory;
  dump::ClockSteps steps;
  unsigned char payload[65536];
  std::uint64_t sum = 0;  // so that reading has an effect
};

// Half of them items of four stages, half the same with 1,000 ids, really recorded and at their rate: a third of a
// second.
void record_what_to_encode(Work& work, Encoding& encoding);

// Counts are multiples of a block's.
void encode_avx2(Work&, std::uint32_t records);
void encode_baseline(Work&, std::uint32_t records);
void read_once(Work&, std::uint32_t records);

}  // namespace tl::tlbench
