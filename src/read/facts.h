// What the first pass over a dump learned. Memory: a fixed amount, and what depends on the number of threads and names.
// Of what a program can make without end, only the first are kept and the rest is counted.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "read/records.h"
#include "read/walker.h"

namespace tl::read {

// The first of what may come without end, and how many more came.
template <class T, std::size_t kMost>
struct Kept {
  std::vector<T> first;
  std::uint64_t more = 0;
  // Its place from 1; 0: only counted.
  std::size_t add(T one) {
    if (first.size() == kMost) {
      ++more;
      return 0;
    }
    first.push_back(std::move(one));
    return first.size();
  }
};

constexpr std::size_t kMostLosses = 10000, kMostMarks = 10000, kMostWarnings = 256;
constexpr std::size_t kMostMarkBytes = 255, kMostWarningBytes = 4096;

// An episode of losses that may be written down again, longer.
struct Episode {
  std::uint64_t from_ticks = 0, records = 0;
  std::size_t place = 0;  // among the kept losses, from 1
  LossCause cause = LossCause::ring_full;
};

struct Thread {
  std::optional<ThreadInfo> info;
  std::optional<Counters> counters;
  std::uint64_t records = 0;                          // of its ring, in the dump, each once
  std::uint64_t scopes = 0;                           // among them finished scopes, and spans
  std::uint64_t next_sequence = 0;                    // one past the last record in the dump
  std::uint64_t missing = 0;                          // gaps in the sequence
  std::uint64_t dropped = 0;                          // records that the writer passed over: they explain gaps
  std::uint64_t elsewhere = 0;                        // in parts of a rotated dump that are not among the files
  std::array<std::uint64_t, kLossCauses> told{};      // lost by cause, as the episodes tell it
  std::map<std::uint32_t, std::uint64_t> mismatched;  // by the id of the end
  std::map<std::uint32_t, std::uint64_t> abandoned;   // begun, pushed aside and forgotten, by id
  std::map<std::uint32_t, std::uint64_t> discarded;   // open across a pause, by id
  std::vector<OpenScope> open;
  std::uint32_t newest_latency = 0;   // highest snapshot of its latency blocks
  std::uint32_t absences = 0;         // absent parts that its sequence has been carried across
  std::array<Episode, 4> episodes{};  // its last ones
  unsigned next_episode = 0;

  // Records that neither the file holds nor the writer dropped; `running`: counters are ahead of the file.
  std::uint64_t unexplained(bool running) const {
    std::uint64_t gaps = missing;
    if (counters && !running && counters->records_made > next_sequence) gaps += counters->records_made - next_sequence;
    return gaps - (dropped < gaps ? dropped : gaps);
  }

  // Finished scopes that nothing else accounts for: their records were in memory that died with the process. A single
  // one was being recorded when it did: that call has not returned.
  std::uint64_t scopes_gone(bool running) const {
    if (!counters || running) return 0;
    std::uint64_t told_of = scopes + unexplained(running) + elsewhere;
    for (const std::uint64_t lost : counters->lost) told_of += lost;
    return counters->scopes_finished > told_of + 1 ? counters->scopes_finished - told_of : 0;
  }
};

struct BlockTotals {
  std::uint64_t blocks = 0, bytes = 0, records = 0;
};

// One file of a dump; a rotated one has several.
struct FilePart {
  std::string path;
  std::uint64_t bytes = 0;
  PartInfo part;
  std::uint64_t records = 0;  // ring records, each once
  std::optional<End> end;     // only one that is its last block
};

struct Facts {
  std::uint32_t version = 0;
  std::optional<ProcessInfo> process;
  std::vector<std::optional<std::string>> names;  // by id - 1
  std::map<std::uint32_t, Thread> threads;        // by serial
  Kept<LossRange, kMostLosses> losses;
  Kept<Warning, kMostWarnings> warnings;
  Kept<Mark, kMostMarks> marks;
  std::optional<Cost> cost;
  std::vector<FilePart> files;  // in the order of their parts
  std::optional<End> end;       // of the last one, if nothing follows it
  std::uint64_t records = 0, duplicates = 0;
  std::uint64_t last_ticks = 0;  // of records that the process stamped itself; 0: there are none
  std::uint64_t anchors = 0;

  std::map<std::uint16_t, BlockTotals> blocks;  // by type
  std::uint64_t unknown_blocks = 0;             // of a type or version that this reader does not know
  std::uint64_t contradictory_blocks = 0;       // good checksum, impossible content
  std::uint64_t first_contradiction = 0;        // its offset
  std::optional<Damage> torn;                   // the last file that was cut inside a block
  std::optional<Damage> first_corrupt;
  std::size_t torn_in = 0, corrupt_in = 0;  // the file
  std::uint64_t corrupt_places = 0, corrupt_bytes = 0;
  std::uint64_t records_before_damage = 0;
  bool damaged() const { return torn || first_corrupt; }
};

}  // namespace tl::read
