// A dump, read in two passes over its blocks: the first checks every block, decodes what is small (who, names, threads,
// counts, losses, damage) and remembers where the common records lie; the second hands those out, forwards or
// backwards. Memory: the small things, 16 bytes a block of common records, and one window of the file.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clock/convert.h"
#include "dump/block.h"
#include "read/records.h"
#include "read/source.h"
#include "read/walker.h"

namespace tl::read {

struct Thread {
  std::optional<ThreadInfo> info;
  std::optional<Counters> counters;
  std::uint64_t records = 0;                          // of its ring, in the dump, each once
  std::uint64_t scopes = 0;                           // among them finished scopes, and spans
  std::uint64_t next_sequence = 0;                    // one past the last record in the dump
  std::uint64_t missing = 0;                          // gaps in the sequence
  std::map<std::uint32_t, std::uint64_t> mismatched;  // by the id of the end
  std::map<std::uint32_t, std::uint64_t> abandoned;   // begun, pushed aside and forgotten, by id
  std::map<std::uint32_t, std::uint64_t> discarded;   // open across a pause, by id
  std::vector<OpenScope> open;
};

struct BlockTotals {
  std::uint64_t blocks = 0, bytes = 0, records = 0;
};

enum class Liveness { ended, running, unknown };  // unknown: no end block, and nobody of that name is alive

// What the first pass learned.
struct Facts {
  std::uint32_t version = 0;
  std::optional<ProcessInfo> process;
  std::vector<std::optional<std::string>> names;  // by id - 1
  std::map<std::uint32_t, Thread> threads;        // by serial
  std::vector<LossRange> losses;
  std::vector<Warning> warnings;
  std::vector<Mark> marks;
  std::optional<Cost> cost;
  std::optional<End> end;  // only one that is the last block
  std::uint64_t records = 0, duplicates = 0;
  std::uint64_t last_ticks = 0;  // of records that the process stamped itself; 0: there are none

  std::map<std::uint16_t, BlockTotals> blocks;  // by type
  std::uint64_t unknown_blocks = 0;             // of a type or version that this reader does not know
  std::uint64_t contradictory_blocks = 0;       // good checksum, impossible content
  std::uint64_t first_contradiction = 0;        // its offset
  std::vector<Damage> damage;
  std::uint64_t records_before_damage = 0;
};

enum class Order { forwards, backwards };

class Dump {
 public:
  // Empty, or why nothing can be read from `path`: one line that says what, where and what is accepted.
  std::string open(const std::string& path);

  const std::string& path() const { return path_; }
  std::uint64_t bytes() const { return file_.size(); }
  const Facts& facts() const { return facts_; }
  const clock::Converter& clock() const { return clock_; }
  Liveness liveness() const;
  // Its end was noticed at any time later: the last anchor and the end block are of that time, not of the process's.
  bool found_dead() const {
    return facts_.end ? facts_.end->reason == EndReason::killed : memory_.size() > 0 && !running_;
  }

  // Each common record once. Backwards, the last record of a thread comes first: every scope before those inside it.
  // In a run the columns are in file order either way.
  void for_each_run(Order order, const std::function<void(const RecordRun&)>& each);
  // The parts that belong to each thread's last counts.
  void for_each_latency(const std::function<void(const LatencyPart&)>& each);

 private:
  enum class Kind : std::uint16_t { block_in_file, block_in_memory, single };
  struct Entry {
    std::uint64_t where;  // offset of the block, or index into singles_
    std::uint32_t thread;
    std::uint16_t skip;  // records of the block that were there before
    Kind kind;
  };
  static_assert(sizeof(Entry) == 16);
  struct LatencyEntry {
    std::uint64_t where;
    std::uint32_t thread, snapshot;
    bool in_memory;
  };
  struct Single {  // one that stood among the events, since its number is wide
    std::uint64_t ticks, number;
    std::uint16_t id;
    dump::RecordKind kind;
  };
  struct Pending {  // the first of records that belong together, waiting for the next one of their thread
    std::optional<dump::RingRecord> wide_from;
    std::size_t loss = 0;                       // its place among the losses, from 1
    std::size_t mark = 0, mark_bytes_left = 0;  // its place among the marks, from 1
  };

  std::string read_header();
  void scan(Source& source, std::uint64_t offset, bool in_memory);
  bool take(const dump::BlockView& block, std::uint64_t offset, bool in_memory);
  bool take_records(const dump::BlockView& block, std::uint64_t offset, bool in_memory);
  bool take_events(const dump::BlockView& block);
  void take_wide(std::uint32_t serial, Thread& thread, std::uint64_t from, const dump::RingRecord& record);
  void take_mark_text(Pending& pending, const dump::RingRecord& record);
  void take_event(std::uint32_t serial, Thread& thread, const dump::RingRecord& record, Pending& pending);
  bool take_latency(const dump::BlockView& block, std::uint64_t offset, bool in_memory);
  // How many of `count` records from `first` on were there before; moves the thread's sequence on.
  std::uint32_t advance(Thread& thread, std::uint64_t first, std::uint32_t count);
  bool block_at(std::uint64_t where, bool in_memory, bool backwards, dump::BlockView& block);

  std::string path_;
  Source file_, memory_;
  bool has_file_ = false, running_ = false;
  Facts facts_;
  clock::Converter clock_;
  std::vector<clock::TickAnchor> anchors_;
  std::vector<Entry> entries_;
  std::vector<LatencyEntry> latencies_;
  std::vector<Single> singles_;
  std::map<std::uint32_t, Pending> pending_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> episodes_;  // places of losses, by thread and begin
};

}  // namespace tl::read
