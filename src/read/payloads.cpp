#include "read/payloads.h"

#include <algorithm>

#include "base/alloc_call.h"
#include "base/limits.h"
#include "base/log_linear.h"
#include "base/size_class.h"

namespace tl::read {

namespace {

ByteReader reader_of(const dump::BlockView& block) { return ByteReader(block.payload, block.header.payload_bytes); }

std::string text_of(ByteReader& in) {
  std::size_t n = 0;
  const char* bytes = in.text(n);
  return n == 0 ? std::string() : std::string(bytes, n);
}

// Bytes after what this version knows are a contradiction: a later version of a payload has a version of its own.
bool whole(const ByteReader& in) { return !in.failed() && in.left() == 0; }

}  // namespace

bool decode_process(const dump::BlockView& block, ProcessInfo& out) {
  ByteReader in = reader_of(block);
  out.pid = in.fixed<std::uint32_t>();
  out.parent_pid = in.fixed<std::uint32_t>();
  out.uid = in.fixed<std::uint32_t>();
  out.alloc_mode = in.fixed<std::uint32_t>();
  out.start_unix_ns = in.fixed<std::uint64_t>();
  out.process_start = in.fixed<std::uint64_t>();
  if (const unsigned char* boot_id = in.raw(out.boot_id.size()))
    std::copy(boot_id, boot_id + out.boot_id.size(), out.boot_id.begin());
  const auto source = in.fixed<std::uint8_t>();
  out.clock_is_tsc = source == static_cast<std::uint8_t>(dump::ClockSource::tsc);
  if (!out.clock_is_tsc && source != static_cast<std::uint8_t>(dump::ClockSource::clock_gettime)) return false;
  out.alloc_observable = in.fixed<std::uint8_t>() != 0;
  in.fixed<std::uint16_t>();
  out.program = text_of(in);
  out.executable = text_of(in);
  out.host = text_of(in);
  out.alloc_why_not = text_of(in);
  out.command_cut = in.fixed<std::uint8_t>() != 0;
  const unsigned arguments = in.fixed<std::uint16_t>();
  for (unsigned i = 0; i < arguments && !in.failed(); ++i) out.command.push_back(text_of(in));
  if (in.left() > 0) out.pid_namespace = in.fixed<std::uint64_t>();
  return whole(in);
}

bool decode_anchor(const dump::BlockView& block, clock::TickAnchor& out) {
  ByteReader in = reader_of(block);
  out.ticks = in.fixed<std::uint64_t>();
  out.raw_ns = in.fixed<std::uint64_t>();
  out.real_ns = in.fixed<std::uint64_t>();
  out.bracket_ticks = in.fixed<std::uint32_t>();
  return whole(in);
}

bool decode_names(const dump::BlockView& block, const std::function<void(std::uint16_t, std::string)>& each) {
  std::vector<std::pair<std::uint16_t, std::string>> names;
  ByteReader in = reader_of(block);
  for (std::uint32_t i = 0; i < block.header.count; ++i) {
    const auto id = in.fixed<std::uint16_t>();
    const std::size_t length = in.fixed<std::uint8_t>();
    const unsigned char* bytes = in.raw(length);
    if (in.failed() || id == 0 || length == 0) return false;
    names.emplace_back(id, std::string(reinterpret_cast<const char*>(bytes), length));
  }
  if (!whole(in)) return false;
  for (auto& [id, name] : names) each(id, std::move(name));
  return true;
}

bool decode_thread(const dump::BlockView& block, ThreadInfo& out) {
  ByteReader in = reader_of(block);
  out.tid = in.fixed<std::uint32_t>();
  out.start_ticks = in.fixed<std::uint64_t>();
  out.end_ticks = in.fixed<std::uint64_t>();
  const auto flags = in.fixed<std::uint8_t>();
  out.main = (flags & dump::kThreadMain) != 0;
  out.foreign = (flags & dump::kThreadForeign) != 0;
  out.orphan = (flags & dump::kThreadOrphan) != 0;
  out.name = text_of(in);
  out.pin_asked = text_of(in);
  out.pin_applied = text_of(in);
  out.pin_error = in.fixed<std::int32_t>();
  return whole(in) && block.header.thread != dump::kNoThread;
}

bool decode_counters(const dump::BlockView& block, Counters& out) {
  ByteReader in = reader_of(block);
  out.snapshot = in.fixed<std::uint32_t>();
  out.records_made = in.fixed<std::uint64_t>();
  out.scopes_finished = in.fixed<std::uint64_t>();
  const unsigned causes = in.fixed<std::uint8_t>();
  // Causes that a later version adds are losses all the same; their name is not known here.
  for (unsigned i = 0; i < causes && !in.failed(); ++i) out.lost[i < kLossCauses ? i : 0] += in.fixed<std::uint64_t>();
  out.alloc_failed = in.fixed<std::uint64_t>();
  out.alloc_bytes = in.fixed<std::uint64_t>();
  const unsigned rows = in.fixed<std::uint16_t>();
  for (unsigned i = 0; i < rows; ++i) {
    CallCount row{};
    row.call = in.fixed<std::uint8_t>();
    row.size_class = in.fixed<std::uint8_t>();
    row.calls = in.varint();
    if (in.failed() || row.call >= kAllocCalls || row.size_class >= kSizeClasses) return false;
    out.calls.push_back(row);
  }
  return whole(in);
}

bool decode_latency(const dump::BlockView& block, bool with_buckets, LatencyPart& out) {
  ByteReader in = reader_of(block);
  out.thread = block.header.thread;
  out.snapshot = in.fixed<std::uint32_t>();
  out.call = in.fixed<std::uint8_t>();
  out.size_class = in.fixed<std::uint8_t>();
  const unsigned buckets = in.fixed<std::uint16_t>();
  out.samples = in.fixed<std::uint64_t>();
  out.sum_ticks = in.fixed<std::uint64_t>();
  out.min_ticks = in.fixed<std::uint64_t>();
  out.max_ticks = in.fixed<std::uint64_t>();
  out.unbinned = in.fixed<std::uint64_t>();
  out.buckets.clear();
  std::uint64_t index = 0, binned = 0;
  for (unsigned i = 0; i < buckets && !in.failed(); ++i) {
    const std::uint64_t distance = in.varint(), times = in.varint();
    if (distance >= log_linear::kBuckets || (i > 0 && distance == 0)) return false;
    index += distance;
    if (index >= log_linear::kBuckets || times > out.samples - binned) return false;
    binned += times;
    if (with_buckets) out.buckets.emplace_back(static_cast<std::uint32_t>(index), times);
  }
  return whole(in) && out.call < kAllocCalls && out.size_class < kSizeClasses && out.thread != dump::kNoThread &&
         (out.samples == 0 || out.min_ticks <= out.max_ticks);
}

bool decode_open_scopes(const dump::BlockView& block, std::vector<OpenScope>& out) {
  ByteReader in = reader_of(block);
  out.clear();
  for (std::uint32_t i = 0; i < block.header.count; ++i) {
    OpenScope scope{};
    scope.begin_ticks = in.fixed<std::uint64_t>();
    scope.id = in.fixed<std::uint32_t>();
    const auto flags = in.fixed<std::uint32_t>();
    scope.displaced = (flags & dump::kOpenDisplaced) != 0;
    scope.discarded = (flags & dump::kOpenDiscarded) != 0;
    if (in.failed() || scope.id > kMaxScopeIds) return false;
    if (scope.id != 0) out.push_back(scope);
  }
  return whole(in) && block.header.thread != dump::kNoThread;
}

bool decode_warning(const dump::BlockView& block, Warning& out) {
  ByteReader in = reader_of(block);
  out.code = text_of(in);
  out.text = text_of(in);
  return whole(in);
}

bool decode_cost(const dump::BlockView& block, Cost& out) {
  ByteReader in = reader_of(block);
  out.step_ticks = in.fixed<std::uint64_t>();
  out.rows.clear();
  for (std::uint32_t i = 0; i < block.header.count; ++i) {
    CostRow row;
    row.kind = in.fixed<std::uint8_t>();
    row.samples = in.fixed<std::uint32_t>();
    row.min = in.fixed<std::uint64_t>();
    row.p50 = in.fixed<std::uint64_t>();
    row.p90 = in.fixed<std::uint64_t>();
    row.p99 = in.fixed<std::uint64_t>();
    row.max = in.fixed<std::uint64_t>();
    row.whole = in.fixed<std::uint64_t>();
    if (in.failed() || row.min > row.p50 || row.p50 > row.p90 || row.p90 > row.p99 || row.p99 > row.max) return false;
    for (const CostRow& other : out.rows)
      if (other.kind == row.kind) return false;
    out.rows.push_back(row);
  }
  return whole(in);
}

bool decode_run(const dump::BlockView& block, Run& out) {
  ByteReader in = reader_of(block);
  out.pid = in.fixed<std::uint32_t>();
  out.process_start = in.fixed<std::uint64_t>();
  return whole(in);
}

bool decode_end(const dump::BlockView& block, End& out) {
  ByteReader in = reader_of(block);
  const auto reason = in.fixed<std::uint8_t>();
  in.raw(3);
  out.signal_number = in.fixed<std::int32_t>();
  out.records_written = in.fixed<std::uint64_t>();
  out.ticks = block.header.first_ticks;
  switch (static_cast<dump::EndReason>(reason)) {
    case dump::EndReason::exit:
      out.reason = EndReason::exit;
      break;
    case dump::EndReason::exec:
      out.reason = EndReason::exec;
      break;
    case dump::EndReason::signal:
      out.reason = EndReason::signal;
      break;
    case dump::EndReason::killed:
      out.reason = EndReason::killed;
      break;
    case dump::EndReason::continued:
      out.reason = EndReason::continued;
      break;
    default:
      return false;
  }
  return whole(in);
}

bool decode_part(const dump::BlockView& block, PartInfo& out) {
  ByteReader in = reader_of(block);
  out.number = in.fixed<std::uint32_t>();
  out.files = in.fixed<std::uint32_t>();
  if (in.left() > 0) out.records_before = in.fixed<std::uint64_t>();
  return whole(in) && out.number > 0;
}

bool decode_events(const dump::BlockView& block, Events& out) {
  ByteReader in = reader_of(block);
  out.first_sequence = in.fixed<std::uint64_t>();
  out.records.clear();
  if (in.failed() || block.header.thread == dump::kNoThread ||
      in.left() != std::uint64_t{block.header.count} * sizeof(dump::RingRecord))
    return false;
  for (std::uint32_t i = 0; i < block.header.count; ++i) out.records.push_back(in.fixed<dump::RingRecord>());
  return true;
}

}  // namespace tl::read
