#include "read/dump.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dump/records_codec.h"
#include "read/locate.h"
#include "read/payloads.h"

namespace tl::read {

namespace {
constexpr char kAccepted[] = "accepted: a dump made by libtelemetry";
}

std::string Dump::open(const std::string& path) {
  path_ = path;
  Located located;
  const std::string failure = locate(path, located);
  if (!failure.empty()) return std::string("cannot read '") + path + "': " + failure + "; " + kAccepted;
  file_ = std::move(located.file);
  memory_ = std::move(located.memory);
  has_file_ = located.has_file;
  running_ = located.running;
  const std::string refusal = read_header();
  if (!refusal.empty()) return std::string("cannot read '") + path + "': " + refusal + "; " + kAccepted;
  if (has_file_) scan(file_, sizeof(dump::FileHeader), false);
  // Without a file, what lies in memory begins with the file's header.
  if (memory_.size() > 0) scan(memory_, has_file_ ? 0 : sizeof(dump::FileHeader), true);
  if (facts_.blocks.empty())
    return std::string("cannot read '") + path + "': was cut after 0 records: no whole block follows its header; " +
           kAccepted;

  // Only latency of a thread's last counts belongs to them; where those are gone, the newest that is there.
  std::map<std::uint32_t, std::uint32_t> newest;
  for (const LatencyEntry& entry : latencies_) newest[entry.thread] = std::max(newest[entry.thread], entry.snapshot);
  std::erase_if(latencies_, [&](const LatencyEntry& entry) {
    const auto& counters = facts_.threads[entry.thread].counters;
    return entry.snapshot != (counters ? counters->snapshot : newest[entry.thread]);
  });
  clock_ = clock::Converter(anchors_, facts_.process && !facts_.process->clock_is_tsc);
  return {};
}

std::string Dump::read_header() {
  Source& source = has_file_ ? file_ : memory_;
  if (source.size() == 0) return "is empty (0 bytes): nothing was recorded, or it was never written";
  const Source::Bytes bytes = source.at(0, sizeof(dump::FileHeader));
  dump::FileHeader header{};
  if (bytes.size > 0) std::memcpy(&header, bytes.data, bytes.size);
  if (std::memcmp(header.signature, dump::kSignature, std::min(bytes.size, sizeof dump::kSignature)) != 0)
    return "is not a telemetry dump (it does not begin with TLDUMP)";
  if (bytes.size < sizeof header)
    return std::string("was cut inside its header, after ") + std::to_string(bytes.size) + " bytes and 0 records";
  facts_.version = header.version;
  if (header.version != dump::kVersion)
    return std::string("has version ") + std::to_string(header.version) +
           " of the format; this tlreport reads version " + std::to_string(dump::kVersion);
  return {};
}

void Dump::scan(Source& source, std::uint64_t offset, bool in_memory) {
  Walker walker(source, offset);
  dump::BlockView block;
  std::size_t damages = 0;
  bool more = true;
  while (more) {
    more = walker.next(block, offset);
    if (damages == 0 && !walker.damage().empty() && facts_.damage.empty())
      facts_.records_before_damage = facts_.records;
    damages = walker.damage().size();
    if (!more) break;
    facts_.end.reset();  // only the last block counts
    BlockTotals& totals = facts_.blocks[block.header.type];
    ++totals.blocks;
    totals.bytes += block.bytes;
    const bool known = block.header.type >= static_cast<std::uint16_t>(dump::BlockType::process) &&
                       block.header.type <= static_cast<std::uint16_t>(dump::kLastBlockType);
    if (!known || block.header.version != 1) {
      ++facts_.unknown_blocks;
    } else if (take(block, offset, in_memory)) {
      totals.records += block.header.count;
    } else {
      if (facts_.contradictory_blocks++ == 0) facts_.first_contradiction = offset;
    }
  }
  facts_.damage.insert(facts_.damage.end(), walker.damage().begin(), walker.damage().end());
}

bool Dump::take(const dump::BlockView& block, std::uint64_t offset, bool in_memory) {
  const std::uint32_t serial = block.header.thread;
  switch (static_cast<dump::BlockType>(block.header.type)) {
    case dump::BlockType::process: {
      ProcessInfo info;
      if (!decode_process(block, info)) return false;
      if (!facts_.process) facts_.process = std::move(info);
      return true;
    }
    case dump::BlockType::anchor: {
      clock::TickAnchor anchor;
      if (!decode_anchor(block, anchor)) return false;
      anchors_.push_back(anchor);
      return true;
    }
    case dump::BlockType::names:
      return decode_names(block, [this](std::uint16_t id, std::string name) {
        if (facts_.names.size() < id) facts_.names.resize(id);
        facts_.names[id - 1] = std::move(name);
      });
    case dump::BlockType::thread: {
      ThreadInfo info;
      if (!decode_thread(block, info)) return false;
      facts_.threads[serial].info = std::move(info);
      return true;
    }
    case dump::BlockType::records:
      return take_records(block, offset, in_memory);
    case dump::BlockType::events:
      return take_events(block);
    case dump::BlockType::counters: {
      Counters counters;
      if (!decode_counters(block, counters)) return false;
      std::optional<Counters>& known = facts_.threads[serial].counters;
      if (!known || counters.snapshot >= known->snapshot) known = std::move(counters);
      return true;
    }
    case dump::BlockType::latency:
      return take_latency(block, offset, in_memory);
    case dump::BlockType::open_scopes: {
      std::vector<OpenScope> open;
      if (!decode_open_scopes(block, open)) return false;
      facts_.threads[serial].open = std::move(open);
      return true;
    }
    case dump::BlockType::warning: {
      Warning warning;
      if (!decode_warning(block, warning)) return false;
      facts_.warnings.push_back(std::move(warning));
      return true;
    }
    case dump::BlockType::cost: {
      Cost cost;
      if (!decode_cost(block, cost)) return false;
      facts_.cost = std::move(cost);  // the last one counts
      return true;
    }
    case dump::BlockType::part:
      return true;
    case dump::BlockType::run: {
      Run run;
      return decode_run(block, run);  // for who looks for the dumps of a run
    }
    case dump::BlockType::end: {
      End end;
      if (!decode_end(block, end)) return false;
      facts_.end = end;
      return true;
    }
  }
  return false;
}

std::uint32_t Dump::advance(Thread& thread, std::uint64_t first, std::uint32_t count) {
  std::uint32_t skip = 0;
  if (first < thread.next_sequence)
    skip = static_cast<std::uint32_t>(std::min<std::uint64_t>(thread.next_sequence - first, count));
  else
    thread.missing += first - thread.next_sequence;
  facts_.duplicates += skip;
  if (skip == count) return skip;
  thread.next_sequence = first + count;
  thread.records += count - skip;
  facts_.records += count - skip;
  thread.open.clear();  // it went on after its open scopes were written down (an exec that failed)
  return skip;
}

bool Dump::take_records(const dump::BlockView& block, std::uint64_t offset, bool in_memory) {
  dump::RecordColumns columns;
  if (block.header.thread == dump::kNoThread || !dump::decode_records(block.header, block.payload, columns) ||
      columns.first_sequence > UINT64_MAX - columns.count)
    return false;
  Thread& thread = facts_.threads[block.header.thread];
  const std::uint32_t skip = advance(thread, columns.first_sequence, columns.count);
  if (skip == columns.count) return true;
  for (std::uint32_t i = skip; i < columns.count; ++i)
    thread.scopes += dump::is_scope(columns.kind[i]) || columns.kind[i] == dump::RecordKind::span;
  // The stamps of spans are the program's own, and may lie anywhere.
  std::uint32_t last = columns.count;
  while (last > skip && columns.kind[last - 1] == dump::RecordKind::span) --last;
  if (last > skip) facts_.last_ticks = std::max(facts_.last_ticks, columns.ticks[last - 1]);
  pending_.erase(block.header.thread);
  entries_.push_back({offset, block.header.thread, static_cast<std::uint16_t>(skip),
                      in_memory ? Kind::block_in_memory : Kind::block_in_file});
  return true;
}

bool Dump::take_events(const dump::BlockView& block) {
  Events events;
  const std::uint32_t serial = block.header.thread;
  if (!decode_events(block, events)) return false;
  if (events.first_sequence == dump::kOutsideTheRing) {
    Thread& thread = facts_.threads[serial];
    Pending pending;  // pairs of theirs stand in one block, and may come between the halves of a ring's
    for (const dump::RingRecord& record : events.records) take_event(serial, thread, record, pending);
    return true;
  }
  if (events.first_sequence > UINT64_MAX - block.header.count) return false;
  Thread& thread = facts_.threads[serial];
  if (events.first_sequence > thread.next_sequence) pending_.erase(serial);  // what would follow is missing
  const std::uint32_t skip = advance(thread, events.first_sequence, block.header.count);
  for (std::size_t i = skip; i < events.records.size(); ++i)
    take_event(serial, thread, events.records[i], pending_[serial]);
  return true;
}

// A record whose number takes 64 bits. Its first half tells where the duration began, or is the value itself.
void Dump::take_wide(std::uint32_t serial, Thread& thread, std::uint64_t from, const dump::RingRecord& record) {
  const auto kind = static_cast<dump::RecordKind>(dump::number_of(record.word));
  const std::uint32_t id = dump::id_of(record.word);
  if (id == 0 || dump::number_of(record.word) > 0xff || !dump::is_common(kind)) return;
  std::uint64_t number = dump::zigzag(from);
  if (kind != dump::RecordKind::value) {
    const std::uint64_t backwards = from > record.ticks ? std::uint64_t{1} << 63 : 0;
    number = backwards | (record.ticks - from);
  }
  singles_.push_back({record.ticks, number, static_cast<std::uint16_t>(id), kind});
  entries_.push_back({singles_.size() - 1, serial, 0, Kind::single});
  thread.scopes += dump::is_scope(kind) || kind == dump::RecordKind::span;
  if (kind != dump::RecordKind::span) facts_.last_ticks = std::max(facts_.last_ticks, record.ticks);
}

void Dump::take_mark_text(Pending& pending, const dump::RingRecord& record) {
  std::string& text = facts_.marks[pending.mark - 1].text;
  const std::uint64_t words[2] = {record.ticks, dump::number_of(record.word)};
  char bytes[sizeof words];
  std::memcpy(bytes, words, sizeof words);
  const std::size_t taken = std::min(pending.mark_bytes_left, dump::kMarkBytesPerRecord);
  text.append(bytes, taken);
  pending.mark_bytes_left -= taken;
}

void Dump::take_event(std::uint32_t serial, Thread& thread, const dump::RingRecord& record, Pending& pending) {
  const std::uint32_t id = dump::id_of(record.word);
  const std::uint64_t number = dump::number_of(record.word);
  const Pending before = std::exchange(pending, Pending{});
  const dump::RecordKind kind = dump::kind_of(record.word);
  if (dump::is_common(kind)) {  // it may stand among the events too
    if (id == 0) return;
    singles_.push_back({record.ticks, number, static_cast<std::uint16_t>(id), kind});
    entries_.push_back({singles_.size() - 1, serial, 0, Kind::single});
    thread.scopes += dump::is_scope(kind) || kind == dump::RecordKind::span;
    if (kind != dump::RecordKind::span) facts_.last_ticks = std::max(facts_.last_ticks, record.ticks);
    return;
  }
  switch (kind) {
    case dump::RecordKind::wide_from:
      pending.wide_from = record;
      return;
    case dump::RecordKind::wide_to:  // without its first half there is nothing to tell
      if (before.wide_from) take_wide(serial, thread, before.wide_from->ticks, record);
      return;
    case dump::RecordKind::discarded:
      ++thread.discarded[id];
      return;
    case dump::RecordKind::mark:
      facts_.marks.push_back({serial, record.ticks, {}});
      facts_.last_ticks = std::max(facts_.last_ticks, record.ticks);
      pending.mark = facts_.marks.size();
      pending.mark_bytes_left = number;
      return;
    case dump::RecordKind::mark_text:
      if (before.mark == 0 || before.mark_bytes_left == 0) return;
      pending = before;
      return take_mark_text(pending, record);
    case dump::RecordKind::abandoned:
      ++thread.abandoned[id];
      return;
    case dump::RecordKind::mismatch:
      ++thread.mismatched[id];
      return;
    case dump::RecordKind::loss_from: {
      // An episode that was still open when it was first written down is written again, longer.
      const auto [known, is_new] = episodes_.try_emplace({serial, record.ticks}, facts_.losses.size());
      if (is_new) facts_.losses.push_back({serial, record.ticks, record.ticks, 0, std::nullopt});
      LossRange& loss = facts_.losses[known->second];
      loss.records = std::max(loss.records, number);
      pending.loss = known->second + 1;
      return;
    }
    case dump::RecordKind::loss_to: {
      if (before.loss == 0 || number >= kLossCauses) return;
      LossRange& loss = facts_.losses[before.loss - 1];
      loss.to_ticks = std::max(record.ticks, loss.to_ticks);
      loss.cause = static_cast<LossCause>(number);
      return;
    }
    default:  // `nothing`, or a kind of a later version
      return;
  }
}

bool Dump::take_latency(const dump::BlockView& block, std::uint64_t offset, bool in_memory) {
  LatencyPart part;
  if (!decode_latency(block, false, part)) return false;
  facts_.threads.try_emplace(part.thread);
  latencies_.push_back({offset, part.thread, part.snapshot, in_memory});
  return true;
}

Liveness Dump::liveness() const {
  if (running_) return Liveness::running;
  return facts_.end ? Liveness::ended : Liveness::unknown;
}

bool Dump::block_at(std::uint64_t where, bool in_memory, bool backwards, dump::BlockView& block) {
  Source& source = in_memory ? memory_ : file_;
  Source::Bytes bytes = source.at(where, sizeof block.header, backwards);
  if (bytes.size < sizeof block.header) return false;
  std::memcpy(&block.header, bytes.data, sizeof block.header);
  if (block.header.payload_bytes > dump::kMaxPayloadBytes) return false;
  bytes = source.at(where, sizeof block.header + block.header.payload_bytes, backwards);
  // Checked again: somebody may have changed the file between the passes.
  return dump::read_block(bytes.data, bytes.size, block) == dump::BlockStatus::whole;
}

void Dump::for_each_run(Order order, const std::function<void(const RecordRun&)>& each) {
  const bool backwards = order == Order::backwards;
  dump::RecordColumns columns;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[backwards ? entries_.size() - 1 - i : i];
    if (entry.kind == Kind::single) {
      const Single& one = singles_[entry.where];
      each({entry.thread, 1, &one.ticks, &one.number, &one.id, &one.kind});
      continue;
    }
    dump::BlockView block;
    if (!block_at(entry.where, entry.kind == Kind::block_in_memory, backwards, block) ||
        !dump::decode_records(block.header, block.payload, columns) || entry.skip >= columns.count)
      continue;
    each({entry.thread, columns.count - entry.skip, columns.ticks + entry.skip, columns.number + entry.skip,
          columns.id + entry.skip, columns.kind + entry.skip});
  }
}

void Dump::for_each_latency(const std::function<void(const LatencyPart&)>& each) {
  for (const LatencyEntry& entry : latencies_) {
    dump::BlockView block;
    LatencyPart part;
    if (block_at(entry.where, entry.in_memory, false, block) && decode_latency(block, true, part)) each(part);
  }
}

}  // namespace tl::read
