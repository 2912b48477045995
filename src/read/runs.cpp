// The second pass: common records and latencies, found again by the index.
#include <algorithm>
#include <cstring>

#include "dump/records_codec.h"
#include "read/dump.h"
#include "read/payloads.h"
#include "read/singles.h"

namespace tl::read {

namespace {
constexpr std::uint64_t bit_of(dump::BlockType type) { return std::uint64_t{1} << static_cast<unsigned>(type); }
}  // namespace

bool Dump::block_at(Source& source, std::uint64_t where, bool backwards, dump::BlockView& block) {
  Source::Bytes bytes = source.at(where, sizeof block.header, backwards);
  if (bytes.size < sizeof block.header) return false;
  std::memcpy(&block.header, bytes.data, sizeof block.header);
  if (block.header.payload_bytes > dump::kMaxPayloadBytes) return false;
  bytes = source.at(where, sizeof block.header + block.header.payload_bytes, backwards);
  // Checked again: somebody may have changed the file between the passes.
  return dump::read_block(bytes.data, bytes.size, block) == dump::BlockStatus::whole;
}

// `halves`: of pairs that two blocks share.
void Dump::hand_out(const dump::BlockView& block, std::uint32_t skip, bool backwards, Halves& halves,
                    const std::function<void(const RecordRun&)>& each) {
  const std::uint32_t serial = block.header.thread;
  if (block.header.type == static_cast<std::uint16_t>(dump::BlockType::records)) {
    dump::RecordColumns columns;
    if (serial == dump::kNoThread || !dump::decode_records(block.header, block.payload, columns) ||
        columns.first_sequence > UINT64_MAX - columns.count || skip >= columns.count)
      return;
    if (!halves.empty()) halves.erase(serial);
    return each({serial, columns.count - skip, columns.ticks + skip, columns.number + skip, columns.id + skip,
                 columns.kind + skip});
  }
  Events events;
  if (!decode_events(block, events) || skip >= events.records.size()) return;
  const auto hand = [&](const dump::RingRecord* before, const dump::RingRecord& record) {
    if (const auto one = single_of(before, record)) each({serial, 1, &one->ticks, &one->number, &one->id, &one->kind});
  };
  const dump::RingRecord *first = &events.records[skip], *last = &events.records.back();
  const bool in_ring = events.first_sequence != dump::kOutsideTheRing;
  if (in_ring && events.first_sequence > UINT64_MAX - events.records.size()) return;
  const std::uint64_t begin = events.first_sequence + skip, end = events.first_sequence + events.records.size();
  // What waits for its other half in the next block.
  const dump::RingRecord* waits = backwards ? first : last;
  const auto half_kind = backwards ? dump::RecordKind::wide_to : dump::RecordKind::wide_from;
  const auto half = in_ring ? halves.find(serial) : halves.end();
  const bool adjoins = half != halves.end() && half->second.sequence == (backwards ? end : begin);
  if (backwards) {
    if (adjoins) hand(last, half->second.record);
    for (const dump::RingRecord* record = last; record > first; --record) hand(record - 1, *record);
    if (dump::kind_of(first->word) != dump::RecordKind::wide_to) hand(nullptr, *first);
  } else {
    hand(adjoins ? &half->second.record : nullptr, *first);
    for (const dump::RingRecord* record = first + 1; record <= last; ++record) hand(record - 1, *record);
  }
  if (!in_ring) return;
  halves.erase(serial);
  if (dump::kind_of(waits->word) == half_kind) halves.emplace(serial, Half{backwards ? begin : end, *waits});
}

void Dump::for_each_run(Order order, const std::function<void(const RecordRun&)>& each) {
  const bool backwards = order == Order::backwards;
  const auto from_end = [&](std::size_t i, std::size_t count) { return backwards ? count - 1 - i : i; };
  Halves halves;
  std::vector<BlockIndex::Place> places;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    Piece& piece = *pieces_[from_end(p, pieces_.size())];
    for (std::size_t s = 0; s < piece.index.stretches(); ++s) {
      piece.index.list(piece.source, from_end(s, piece.index.stretches()),
                       bit_of(dump::BlockType::records) | bit_of(dump::BlockType::events), places);
      for (std::size_t i = 0; i < places.size(); ++i) {
        const BlockIndex::Place& place = places[from_end(i, places.size())];
        dump::BlockView block;
        if (block_at(piece.source, place.offset, backwards, block))
          hand_out(block, place.skip, backwards, halves, each);
      }
    }
  }
}

void Dump::for_each_latency(const std::function<void(const LatencyPart&)>& each) {
  std::vector<BlockIndex::Place> places;
  for (const auto& piece : pieces_) {
    if (!piece->first_latency) continue;
    for (std::size_t s = piece->index.stretch_of(*piece->first_latency); s < piece->index.stretches(); ++s) {
      piece->index.list(piece->source, s, bit_of(dump::BlockType::latency), places);
      for (const BlockIndex::Place& place : places) {
        dump::BlockView block;
        LatencyPart part;
        if (!block_at(piece->source, place.offset, false, block) || !decode_latency(block, true, part)) continue;
        // Only latency of a thread's last counts belongs to them; where those are gone, the newest that is there.
        const auto thread = facts_.threads.find(part.thread);
        if (thread == facts_.threads.end()) continue;
        const auto& counters = thread->second.counters;
        if (part.snapshot == (counters ? counters->snapshot : thread->second.newest_latency)) each(part);
      }
    }
  }
}

}  // namespace tl::read
