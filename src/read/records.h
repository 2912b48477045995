// What the blocks of a dump say, decoded: plain values, no bytes of the file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/loss_cause.h"
#include "dump/format.h"

namespace tl::read {

struct ProcessInfo {
  std::uint32_t pid = 0, parent_pid = 0, uid = 0;
  std::uint32_t alloc_mode = 0;  // AllocMode bits
  std::uint64_t start_unix_ns = 0, process_start = 0;
  std::array<unsigned char, 16> boot_id{};
  std::uint64_t pid_namespace = 0;  // inode; 0: not known
  bool clock_is_tsc = false;
  bool alloc_observable = false;
  bool command_cut = false;
  std::string program, executable, host, alloc_why_not;
  std::vector<std::string> command;
};

struct ThreadInfo {
  std::uint32_t tid = 0;
  std::uint64_t start_ticks = 0, end_ticks = 0;  // end 0: alive when written
  bool main = false, foreign = false, orphan = false;
  std::string name, pin_asked, pin_applied;
  std::int32_t pin_error = 0;  // errno
};

struct CallCount {
  std::uint8_t call, size_class;
  std::uint64_t calls;
};

// A thread's exact counts at one moment.
struct Counters {
  std::uint32_t snapshot = 0;
  std::uint64_t records_made = 0, scopes_finished = 0;
  std::array<std::uint64_t, kLossCauses> lost{};
  std::uint64_t alloc_failed = 0, alloc_bytes = 0;
  std::vector<CallCount> calls;
};

// A part of the latency histogram of one call and size class of a thread; parts add up. Buckets are those of
// base/log_linear.h, values are ticks.
struct LatencyPart {
  std::uint32_t thread = 0, snapshot = 0;
  std::uint8_t call = 0, size_class = 0;
  std::uint64_t samples = 0, sum_ticks = 0, min_ticks = 0, max_ticks = 0, unbinned = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets;  // index, times
};

struct OpenScope {
  std::uint64_t begin_ticks;
  std::uint32_t id;
  bool displaced, discarded;
};

// An episode in which a thread lost records, as the ring tells it.
struct LossRange {
  std::uint32_t thread = 0;
  std::uint64_t from_ticks = 0, to_ticks = 0, records = 0;
  std::optional<LossCause> cause;  // none: the second half of the pair is missing
};

struct Warning {
  std::string code, text;
};

enum class EndReason { exit, exec, signal, killed, continued };

// The process that tlrun started, and from which the recorded one descends (or which it is).
struct Run {
  std::uint32_t pid = 0;
  std::uint64_t process_start = 0;
};

struct End {
  EndReason reason = EndReason::killed;
  std::int32_t signal_number = 0;
  std::uint64_t records_written = 0, ticks = 0;
};

// Which part of a rotated dump a file is.
struct PartInfo {
  std::uint32_t number = 0;                     // from 1; 0: the dump is not rotated
  std::uint32_t files = 0;                      // that it rotates through
  std::optional<std::uint64_t> records_before;  // in the parts before it
};

// Consecutive common records of one thread, in the order in which they were made (of scopes: of their ends). The
// columns belong to the reader. A scope or span with a number of 2^63 and more ended before its begin.
struct RecordRun {
  std::uint32_t thread = 0, count = 0;
  const std::uint64_t* ticks = nullptr;
  const std::uint64_t* number = nullptr;
  const std::uint16_t* id = nullptr;
  const dump::RecordKind* kind = nullptr;
};

// A text of the program's, at its time.
struct Mark {
  std::uint32_t thread = 0;
  std::uint64_t ticks = 0;
  std::string text;
};

// What the recorder itself costs: measured in the watched process, in ticks.
struct CostRow {
  std::uint8_t kind = 0;  // of a scope (its modes), dump::kCostNext or dump::kCostPulse
  std::uint32_t samples = 0;
  std::uint64_t min = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;  // of what an empty one measures
  std::uint64_t whole = 0;                                    // what one takes out of the program's time, median
};
struct Cost {
  std::uint64_t step_ticks = 0;  // the clock moves by multiples of this
  std::vector<CostRow> rows;
};

}  // namespace tl::read
