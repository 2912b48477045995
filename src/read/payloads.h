// Payload bytes into decoded values. Each returns false where the payload contradicts itself or its header; then
// nothing of it may be used. Every length is checked against what is left of the payload, and nothing is reserved by a
// number from the file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clock/convert.h"
#include "dump/block.h"
#include "read/records.h"

namespace tl::read {

bool decode_process(const dump::BlockView& block, ProcessInfo& out);
bool decode_anchor(const dump::BlockView& block, clock::TickAnchor& out);
bool decode_names(const dump::BlockView& block, const std::function<void(std::uint16_t, std::string)>& each);
bool decode_thread(const dump::BlockView& block, ThreadInfo& out);
bool decode_counters(const dump::BlockView& block, Counters& out);
// `with_buckets` false: totals only.
bool decode_latency(const dump::BlockView& block, bool with_buckets, LatencyPart& out);
bool decode_open_scopes(const dump::BlockView& block, std::vector<OpenScope>& out);
bool decode_warning(const dump::BlockView& block, Warning& out);
bool decode_cost(const dump::BlockView& block, Cost& out);
bool decode_run(const dump::BlockView& block, Run& out);
bool decode_end(const dump::BlockView& block, End& out);
bool decode_part(const dump::BlockView& block, PartInfo& out);

// An `events` payload: the sequence of its first record, then the records.
struct Events {
  std::uint64_t first_sequence = 0;
  std::vector<dump::RingRecord> records;
};
bool decode_events(const dump::BlockView& block, Events& out);

}  // namespace tl::read
