// A dump, read in two passes over its blocks: the first checks every block, decodes what is small (who, names, threads,
// counts, losses, damage) and notes where blocks lie; the second hands the common records out, forwards or backwards.
// Memory: what facts.h says, the index of blocks, and one window of each file.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/convert.h"
#include "dump/block.h"
#include "read/anchors.h"
#include "read/block_index.h"
#include "read/facts.h"
#include "read/records.h"
#include "read/source.h"

namespace tl::read {

enum class Liveness { ended, running, unknown };  // unknown: no end block, and nobody of that name is alive

enum class Order { forwards, backwards };

class Dump {
 public:
  // Empty, or why nothing can be read from `path`: one line that says what, where and what is accepted.
  std::string open(const std::string& path) { return open(std::vector<std::string>{path}); }
  // The parts of one rotated dump, in their order (group_parts).
  std::string open(const std::vector<std::string>& paths);

  // The same where the bytes are at hand; nobody's memory is looked for.
  std::string open(const std::string& name, std::vector<Source> files);

  const std::string& path() const { return facts_.files.front().path; }
  std::uint64_t bytes() const;
  const Facts& facts() const { return facts_; }
  const clock::Converter& clock() const { return clock_; }
  Liveness liveness() const;
  // Its end was noticed at any time later: the last anchor and the end block are of that time, not of the process's.
  bool found_dead() const {
    return facts_.end ? facts_.end->reason == EndReason::killed : salvaged_in_memory_ && !running_;
  }

  // Some of it lay in the memory that a process left behind, since its file could not take it.
  bool read_from_memory() const { return salvaged_in_memory_ && !running_; }

  // A file that is being written, as far as it has come; then what was appended since, in the order of the file: into
  // the facts, and its common records to `each`. `path` may be the next part of the same dump.
  std::string begin_live(const std::string& path);
  void read_on(const std::function<void(const RecordRun&)>& each);
  // What its process left in memory and nobody can write into it.
  void read_left(Source memory, const std::function<void(const RecordRun&)>& each);
  // Nothing more is to come: what was half a block is damage.
  void end_live();
  // Its path leads to another file by now.
  bool live_file_moved() const { return !pieces_.back()->source.is(facts_.files.back().path); }
  // It was cut shorter than what was read of it, or begins otherwise than it did.
  bool live_file_rewritten();

  // Each common record once. Backwards, the last record of a thread comes first: every scope before those inside it.
  // In a run the columns are in file order either way.
  void for_each_run(Order order, const std::function<void(const RecordRun&)>& each);
  // The parts that belong to each thread's last counts.
  void for_each_latency(const std::function<void(const LatencyPart&)>& each);

 private:
  struct Piece {  // of the dump: a file, or what lay in memory
    Source source;
    BlockIndex index;
    std::optional<std::uint64_t> first_latency;
  };
  struct Pending {  // what waits for the next record of its thread
    std::optional<dump::RingRecord> before;
    std::size_t mark = 0, mark_bytes_left = 0;  // its place among the marks, from 1
  };
  // A half of a pair at the border of a block, with its place in the sequence of its thread.
  struct Half {
    std::uint64_t sequence;
    dump::RingRecord record;
  };
  using Halves = std::map<std::uint32_t, Half>;

  void walk_on(Piece& piece, std::uint64_t& at, const std::function<void(const RecordRun&)>& each);
  std::string open_file(const std::string& path, Source& memory);
  std::string take_file(Source source);
  std::string finish(Source memory);
  std::string read_header(Source& source);
  void scan(Piece& piece, std::uint64_t offset);
  bool take_block(const dump::BlockView& block, std::uint64_t offset, Piece& piece);
  void note_damage(const Damage& damage);
  bool take(const dump::BlockView& block, std::uint64_t offset, Piece& piece);
  bool take_part(const dump::BlockView& block);
  bool take_records(const dump::BlockView& block, std::uint64_t offset, Piece& piece);
  bool take_events(const dump::BlockView& block, std::uint64_t offset, Piece& piece);
  void take_event(std::uint32_t serial, Thread& thread, const dump::RingRecord& record, Pending& pending);
  void take_mark_text(Pending& pending, const dump::RingRecord& record);
  void take_loss(std::uint32_t serial, Thread& thread, const dump::RingRecord& from, const dump::RingRecord& to);
  bool take_latency(const dump::BlockView& block, std::uint64_t offset, Piece& piece);
  // How many of `count` records from `first` on were there before; moves the thread's sequence on.
  bool may_be_elsewhere(const Thread& thread) const;
  void settle_absences();
  bool take_ended_elsewhere(Counters counters);
  std::uint32_t advance(Thread& thread, std::uint64_t first, std::uint32_t count);

  static bool block_at(Source& source, std::uint64_t where, bool backwards, dump::BlockView& block);
  void hand_out(const dump::BlockView& block, std::uint32_t skip, bool backwards, Halves& halves,
                const std::function<void(const RecordRun&)>& each);

  bool running_ = false, salvaged_in_memory_ = false;
  Facts facts_;
  clock::Converter clock_;
  Anchors anchors_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  std::map<std::uint32_t, Pending> pending_;
  std::uint32_t absences_ = 0;      // how often parts were absent before the one that is read
  std::uint64_t part_ticks_ = 0;    // when that one began
  std::uint64_t file_records_ = 0;  // of the file that is read
  std::uint32_t last_skip_ = 0;     // of the block that was taken last
  std::uint64_t live_at_ = 0;       // how far a live file was read
  std::string live_head_;           // its first bytes, as they were
  std::optional<Damage> live_tail_;
  Halves live_halves_;
};

}  // namespace tl::read
