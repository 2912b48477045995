// A whole dump with something of everything, for tests that damage it.
#pragma once

#include <vector>

#include "base/loss_cause.h"
#include "dump_builder.h"

namespace tl::test {

// 2 threads, `records` scope records in all, one loss, latencies; clock_gettime, so a tick is 1 ns.
inline std::string good_dump(std::size_t records = 10000) {
  DumpBuilder dump;
  dump.process().anchor(1000, 5000).names({"parse", "send", "idle"});
  std::vector<Scope> scopes[2];
  for (std::size_t i = 0; i < records; ++i)
    scopes[i % 2].push_back({2000 + i * 100, 10 + i * i % 977, static_cast<std::uint16_t>(1 + i % 3 % 2)});
  dump.thread(0, "main", 1000, 0, dump::kThreadMain).thread(1, "worker", 1500, 0);
  for (std::size_t at = 0; at < scopes[0].size(); at += 512)
    for (std::uint32_t thread : {0u, 1u}) {
      const auto from = scopes[thread].begin() + static_cast<std::ptrdiff_t>(std::min(at, scopes[thread].size()));
      const auto to = scopes[thread].begin() + static_cast<std::ptrdiff_t>(std::min(at + 512, scopes[thread].size()));
      dump.scopes(thread, at, std::vector<Scope>(from, to));
    }
  dump.counters(0, 1, scopes[0].size(), scopes[0].size(), std::vector<std::uint64_t>(7), 0, 6400,
                {{0, 7, 100}, {9, 0, 90}})
      .latency(0, 1, 0, 7, 5000, 20, 300, {{20, 50}, {80, 49}, {300, 1}})
      .counters(1, 1, scopes[1].size(), scopes[1].size(), std::vector<std::uint64_t>(7), 0, 0, {})
      .anchor(3000000, 3004000)
      .end(3000000, records);
  return dump.bytes();
}

// A small one with records of every kind.
inline std::string rich_dump() {
  using dump::RecordKind;
  DumpBuilder dump;
  dump.process().anchor(1000, 5000).names({"order", "span", "price", "beat", "never"});
  dump.thread(0, "main", 1000, 0, dump::kThreadMain).thread(1, "feed", 1500, 0);
  std::vector<Scope> records;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::uint64_t at = 10000 + i * 1000;
    records.push_back({at, 40 + i, 1, i % 5 == 0 ? RecordKind::early_response : RecordKind::response});
    records.push_back({at, 40 + i % 7 * 4, 1, static_cast<RecordKind>(i % 3 << 2 | i / 3 % 3)});
    records.push_back({at + 3, 700 - i, 2, RecordKind::span});
    records.push_back({at + 5, dump::zigzag(i * 37 - 2000), 3, RecordKind::value});
    records.push_back({at + 9, 1000, 4, RecordKind::pulse});
  }
  dump.scopes(1, 0, records);
  std::vector<dump::RingRecord> rare = mark(400000, "the market is open, and this text takes several records");
  for (const auto& more : {wide(300000, (std::uint64_t{1} << 45) + 7, 2, RecordKind::span),
                           wide(static_cast<std::uint64_t>(INT64_MIN), 410000, 3, RecordKind::value)})
    rare.insert(rare.end(), more.begin(), more.end());
  rare.push_back(event(390000, 1, RecordKind::discarded));
  rare.push_back(event(391000, 1, RecordKind::mismatch, 1));
  dump.events(1, records.size(), rare);
  dump.open_scopes(1, {{420000, 1}, {421000, 1, dump::kOpenDiscarded}});
  std::vector<DumpBuilder::Cost> cost = {{dump::kCostNext, 7, 8, 9, 10, 50, 9}, {dump::kCostPulse, 7, 8, 9, 11, 50, 9}};
  for (std::uint8_t begin = 0; begin < 3; ++begin)
    for (std::uint8_t end = 0; end < 3; ++end)
      cost.push_back({static_cast<std::uint8_t>(begin << 2 | end), 20, 24u + begin + end, 26u + begin + end,
                      30u + begin + end, 900, 30});
  dump.cost(1, cost).anchor(3000000, 3004000);
  return dump.end(3000000, records.size() + rare.size()).bytes();
}

// A part of a rotated dump that goes on, with records that a full disk dropped.
inline std::string later_part() {
  using dump::RecordKind;
  DumpBuilder dump;
  dump.process().part(3, 4, 900).anchor(0, 1000).anchor(900, 1900).names({"parse", "send"});
  dump.thread(0, "main", 1, 0, dump::kThreadMain).thread(1, "late", 950);
  for (std::uint64_t i = 0; i < 8; ++i) {
    dump.scopes(0, 500 + 20 * i, {{1000 + i, 5, 1}, {1001 + i, 5, 2}});
    dump.events(0, dump::kOutsideTheRing,
                {event(1002 + i, 0, RecordKind::dropped, 18), event(1002 + i, 0, RecordKind::loss_from, 18),
                 event(1003 + i, 0, RecordKind::loss_to, static_cast<std::uint64_t>(LossCause::disk_full))});
    dump.scopes(1, 2 * i, {{1000 + i, 5, 1}, {1001 + i, 5, 2}});
  }
  dump.counters(1, 1, 16, 16, {}, 0, 0, {}).anchor(2000, 3000);
  return dump.end(2000, 32, dump::EndReason::continued).bytes();
}

// Where each block of a good dump begins, its end, and the scope records in it: told without the reader.
struct Piece {
  std::size_t begin, end, records;
};
inline std::vector<Piece> pieces_of(const std::string& bytes) {
  std::vector<Piece> pieces;
  for (std::size_t at = sizeof(dump::FileHeader); at < bytes.size();) {
    dump::BlockHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t end = at + sizeof header + header.payload_bytes;
    const bool scopes = header.type == static_cast<std::uint16_t>(dump::BlockType::records);
    pieces.push_back({at, end, scopes ? header.count : 0});
    at = end;
  }
  return pieces;
}

}  // namespace tl::test
