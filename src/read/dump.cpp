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

std::string cannot_read(const std::string& path, const std::string& why) {
  return "cannot read '" + path + "': " + why + "; " + kAccepted;
}
}  // namespace

std::string Dump::open(const std::vector<std::string>& paths) {
  Source memory;
  for (const std::string& path : paths) {
    const std::string failure = open_file(path, memory);
    if (!failure.empty()) return cannot_read(path, failure);
  }
  return finish(std::move(memory));
}

std::string Dump::open(const std::string& name, std::vector<Source> files) {
  for (Source& file : files) {
    facts_.files.push_back({name, 0, {}, 0, {}});
    const std::string failure = take_file(std::move(file));
    if (!failure.empty()) return cannot_read(name, failure);
  }
  return finish({});
}

std::string Dump::open_file(const std::string& path, Source& memory) {
  Located located;
  facts_.files.push_back({path, 0, {}, 0, {}});
  const std::string failure = locate(path, located);
  if (!failure.empty()) return failure;
  running_ |= located.running;
  if (located.memory.size() > 0) memory = std::move(located.memory);
  return located.has_file ? take_file(std::move(located.file)) : std::string();
}

std::string Dump::take_file(Source source) {
  const std::string refusal = read_header(source);
  if (!refusal.empty()) return refusal;
  FilePart& file = facts_.files.back();
  file.bytes = source.size();
  file_records_ = 0;
  pieces_.push_back(std::make_unique<Piece>());
  pieces_.back()->source = std::move(source);
  scan(*pieces_.back(), sizeof(dump::FileHeader));
  file.records = file_records_;
  file.end = facts_.end;
  return {};
}

// What lies in memory comes last, and without a file it begins with the file's header.
std::string Dump::finish(Source memory) {
  if (memory.size() > 0) {
    salvaged_in_memory_ = true;
    const bool has_file = !pieces_.empty();
    if (!has_file) {
      const std::string refusal = read_header(memory);
      if (!refusal.empty()) return cannot_read(path(), refusal);
    }
    pieces_.push_back(std::make_unique<Piece>());
    pieces_.back()->source = std::move(memory);
    scan(*pieces_.back(), has_file ? 0 : sizeof(dump::FileHeader));
    facts_.files.back().records = file_records_;
  }
  if (facts_.blocks.empty()) return cannot_read(path(), "was cut after 0 records: no whole block follows its header");
  clock_ = clock::Converter(anchors_.all(), facts_.process && !facts_.process->clock_is_tsc);
  facts_.anchors = anchors_.seen();
  if (!running_) settle_absences();
  return {};
}

std::string Dump::read_header(Source& source) {
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

void Dump::note_damage(const Damage& damage) {
  if (!facts_.damaged()) facts_.records_before_damage = facts_.records;
  if (damage.kind == DamageKind::torn_tail) {
    facts_.torn = damage;
    facts_.torn_in = facts_.files.size() - 1;
    return;
  }
  if (!facts_.first_corrupt) {
    facts_.first_corrupt = damage;
    facts_.corrupt_in = facts_.files.size() - 1;
  }
  ++facts_.corrupt_places;
  facts_.corrupt_bytes += damage.bytes;
}

void Dump::scan(Piece& piece, std::uint64_t offset) {
  Walker walker(piece.source, offset);
  dump::BlockView block;
  facts_.end.reset();
  while (true) {
    const bool more = walker.next(block, offset);
    if (const auto& damage = walker.damage()) {
      note_damage(*damage);
      piece.index.leave_out(damage->offset, damage->bytes);
    }
    if (!more) return;
    if (piece.index.full()) return note_damage({DamageKind::gave_up, offset, piece.source.size() - offset});
    piece.index.add(offset, block.bytes);
    take_block(block, offset, piece);
  }
}

bool Dump::take_block(const dump::BlockView& block, std::uint64_t offset, Piece& piece) {
  facts_.end.reset();  // only the last block counts
  last_skip_ = 0;
  BlockTotals& totals = facts_.blocks[block.header.type];
  ++totals.blocks;
  totals.bytes += block.bytes;
  const bool known = block.header.type >= static_cast<std::uint16_t>(dump::BlockType::process) &&
                     block.header.type <= static_cast<std::uint16_t>(dump::kLastBlockType);
  if (!known || block.header.version != 1) {
    ++facts_.unknown_blocks;
    return false;
  }
  if (take(block, offset, piece)) {
    totals.records += block.header.count;
    return true;
  }
  if (facts_.contradictory_blocks++ == 0) facts_.first_contradiction = offset;
  return false;
}

bool Dump::take(const dump::BlockView& block, std::uint64_t offset, Piece& piece) {
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
      anchors_.add(anchor);
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
      return take_records(block, offset, piece);
    case dump::BlockType::events:
      return take_events(block, offset, piece);
    case dump::BlockType::counters: {
      Counters counters;
      if (!decode_counters(block, counters)) return false;
      if (serial == dump::kNoThread) return take_ended_elsewhere(std::move(counters));
      std::optional<Counters>& known = facts_.threads[serial].counters;
      if (!known || counters.snapshot >= known->snapshot) known = std::move(counters);
      return true;
    }
    case dump::BlockType::latency:
      return take_latency(block, offset, piece);
    case dump::BlockType::open_scopes: {
      std::vector<OpenScope> open;
      if (!decode_open_scopes(block, open)) return false;
      facts_.threads[serial].open = std::move(open);
      return true;
    }
    case dump::BlockType::warning: {
      Warning warning;
      if (!decode_warning(block, warning)) return false;
      if (warning.text.size() > kMostWarningBytes) warning.text.resize(kMostWarningBytes);
      if (warning.code.size() > kMostWarningBytes) warning.code.resize(kMostWarningBytes);
      facts_.warnings.add(std::move(warning));
      return true;
    }
    case dump::BlockType::cost: {
      Cost cost;
      if (!decode_cost(block, cost)) return false;
      facts_.cost = std::move(cost);  // the last one counts
      return true;
    }
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
    case dump::BlockType::part:
      return take_part(block);
  }
  return false;
}

bool Dump::take_part(const dump::BlockView& block) {
  PartInfo info;
  if (!decode_part(block, info)) return false;
  FilePart& file = facts_.files.back();
  if (file.part.number != 0) return true;
  file.part = info;
  const std::uint32_t before = facts_.files.size() > 1 ? facts_.files[facts_.files.size() - 2].part.number : 0;
  if (info.number > before + 1) ++absences_;
  part_ticks_ = block.header.first_ticks;
  return true;
}

// Threads that ended in the parts before the first one that is there. They count as one that is no thread of its own.
bool Dump::take_ended_elsewhere(Counters counters) {
  if (facts_.files.back().part.number < 2) return false;
  if (facts_.files.size() > 1) return true;
  Thread& thread = facts_.threads[dump::kNoThread];
  thread.info = ThreadInfo{};
  thread.info->orphan = true;
  thread.counters = std::move(counters);
  return true;
}

// A thread of which nothing came since the last absent part has what is missing of it in there; and where the dump goes
// on, counts may be ahead of the records.
void Dump::settle_absences() {
  const bool goes_on = facts_.end && facts_.end->reason == EndReason::continued;
  for (auto& [serial, thread] : facts_.threads) {
    if (!thread.counters || !(goes_on || may_be_elsewhere(thread))) continue;
    if (thread.counters->records_made <= thread.next_sequence) continue;
    thread.elsewhere += thread.counters->records_made - thread.next_sequence;
    thread.next_sequence = thread.counters->records_made;
    thread.absences = absences_;
  }
}

// A thread that began in this part has nothing in those that are absent.
bool Dump::may_be_elsewhere(const Thread& thread) const {
  return thread.absences < absences_ && !(thread.info && thread.info->start_ticks > part_ticks_ && part_ticks_ != 0);
}

std::uint32_t Dump::advance(Thread& thread, std::uint64_t first, std::uint32_t count) {
  std::uint32_t skip = 0;
  if (first < thread.next_sequence) {
    skip = static_cast<std::uint32_t>(std::min<std::uint64_t>(thread.next_sequence - first, count));
  } else {
    (may_be_elsewhere(thread) ? thread.elsewhere : thread.missing) += first - thread.next_sequence;
  }
  thread.absences = absences_;
  facts_.duplicates += skip;
  last_skip_ = skip;
  if (skip == count) return skip;
  thread.next_sequence = first + count;
  thread.records += count - skip;
  facts_.records += count - skip;
  file_records_ += count - skip;
  thread.open.clear();  // it went on after its open scopes were written down (an exec that failed)
  return skip;
}

bool Dump::take_records(const dump::BlockView& block, std::uint64_t offset, Piece& piece) {
  dump::RecordColumns columns;
  if (block.header.thread == dump::kNoThread || !dump::decode_records(block.header, block.payload, columns) ||
      columns.first_sequence > UINT64_MAX - columns.count)
    return false;
  Thread& thread = facts_.threads[block.header.thread];
  const std::uint32_t skip = advance(thread, columns.first_sequence, columns.count);
  if (skip > 0) piece.index.skip(offset, skip);
  if (skip == columns.count) return true;
  for (std::uint32_t i = skip; i < columns.count; ++i)
    thread.scopes += dump::is_scope(columns.kind[i]) || columns.kind[i] == dump::RecordKind::span;
  // The stamps of spans are the program's own, and may lie anywhere.
  std::uint32_t last = columns.count;
  while (last > skip && columns.kind[last - 1] == dump::RecordKind::span) --last;
  if (last > skip) facts_.last_ticks = std::max(facts_.last_ticks, columns.ticks[last - 1]);
  pending_.erase(block.header.thread);
  return true;
}

bool Dump::take_latency(const dump::BlockView& block, std::uint64_t offset, Piece& piece) {
  LatencyPart part;
  if (!decode_latency(block, false, part)) return false;
  Thread& thread = facts_.threads[part.thread];
  thread.newest_latency = std::max(thread.newest_latency, part.snapshot);
  if (!piece.first_latency) piece.first_latency = offset;
  return true;
}

std::uint64_t Dump::bytes() const {
  std::uint64_t sum = 0;
  for (const FilePart& file : facts_.files) sum += file.bytes;
  return sum;
}

Liveness Dump::liveness() const {
  if (running_) return Liveness::running;
  return facts_.end ? Liveness::ended : Liveness::unknown;
}

}  // namespace tl::read
