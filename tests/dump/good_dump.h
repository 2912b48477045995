// A whole dump with something of everything, for tests that damage it.
#pragma once

#include <vector>

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
