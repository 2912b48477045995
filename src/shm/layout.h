// What lies in a process's shared memory file, which outlives the process: /dev/shm/libtelemetry.PID.START.IMAGE.
//
// The file is a row of chunks of 64 KiB, taken in order and never moved. Chunk 0 is the control page; the others hold
// thread slots, rings, ring segments, names or latency counters, and are found from the control page by number.
// The watched process maps each chunk on its own (a large sparse mapping would be filled by mlockall); another process
// maps the whole file.
//
// Writers: a slot and a ring are written by their thread; consumer_*, state beyond closing and everything of the drain
// by the drain (or by whoever finishes for a process without one). A field without a comment is written once, before
// the thread or the process is published.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/alloc_call.h"
#include "base/limits.h"
#include "base/log_linear.h"
#include "base/loss_cause.h"
#include "base/size_class.h"
#include "dump/format.h"

namespace tl::shm {

constexpr std::uint64_t kControlMagic = 0x316d65746c65746cu;
constexpr std::uint32_t kLayoutVersion = 5;

struct Anchor {
  std::uint64_t ticks, raw_ns, real_ns;
  std::uint32_t bracket_ticks, reserved;
};

// ---- a thread's ring ------------------------------------------------------------------------------------------------

// Records lie in segments: the first one inside the thread's ring chunk, more of them (a chunk each) while the drain is
// behind. A segment is filled once from its start to its end, so "full" is one compare and there is no wrapping.
//   R1  record[i].word != 0 exactly when record[i] is whole (release by the thread; acquire by the reader).
//   R2  sequence of record[i] = first_sequence + i; the next segment's first_sequence = this one's + capacity.
//   R3  a segment is zeroed before its number is published in the previous one's `next_chunk`.
struct Segment {
  std::uint32_t capacity;
  std::atomic<std::uint32_t> next_chunk;  // 0: none yet. release by the thread, pairs with the consumer's acquire
  std::uint64_t first_sequence;
  std::uint64_t reserved[6];
  dump::RingRecord* records() { return reinterpret_cast<dump::RingRecord*>(this + 1); }
  const dump::RingRecord* records() const { return reinterpret_cast<const dump::RingRecord*>(this + 1); }
};
static_assert(sizeof(Segment) == 64);

// An open scope. One that cannot end the hot way has a begin so far off that no duration from it fits a record; where
// it really began stands in `times`, and why.
struct OpenScope {
  std::uint32_t begin_low, begin_high;  // ticks
  std::uint32_t id;
  std::uint32_t tag;  // the upper half of its record's word, the mode of its begin included

  std::uint64_t begin_ticks() const { return std::uint64_t{begin_high} << 32 | begin_low; }
  void set_begin(std::uint64_t ticks) {
    begin_low = static_cast<std::uint32_t>(ticks);
    begin_high = static_cast<std::uint32_t>(ticks >> 32);
  }
};
constexpr std::uint32_t kFarOff = 0x80000000;  // begin_high
// Why: it has an intended begin; it was open across a pause and counts as discarded already; or it began while the end
// was being written and counts as lost already.
enum class WhyFarOff : std::uint64_t { intended, stale, late };
struct ScopeTimes {
  std::uint64_t begin_ticks, intended_ticks;
  WhyFarOff why;
};

constexpr std::uint32_t tag_of(std::uint32_t id, StampMode mode) {
  return id << 16 | static_cast<std::uint32_t>(dump::scope_kind(mode, StampMode::fast)) << 8;
}
static_assert(tag_of(7, StampMode::hard) ==
              dump::record_word(7, dump::scope_kind(StampMode::hard, StampMode::fast), 0) >> 32);

// The id of a scope that is open and counts; 0: overtaken by a pause or the end, or none at all.
constexpr std::uint32_t open_id(const OpenScope& scope, const ScopeTimes& times) {
  return scope.begin_high == kFarOff && times.why != WhyFarOff::intended ? 0 : scope.id;
}

// What was asked of the allocator in a scope itself, not in those within it. One with anything of it takes the longer
// way to its end, since that makes more records than one.
struct ScopeAllocations {
  std::uint64_t begin_ticks;  // of the scope: of another one it means nothing
  std::uint64_t count, bytes, ticks;
};
constexpr std::uint32_t kNearLevels = 16;  // of a thread, in its ring chunk; those of deeper scopes take a chunk
static_assert(kMaxOpenScopes * sizeof(ScopeAllocations) <= kChunkBytes);

struct DisplacedScope {
  OpenScope scope;
  ScopeTimes times;
  ScopeAllocations allocations;
};

// A table of 8,192 stamps, a chunk, by the lower bits of an id: the thread's last pulse of it. 0: none.
constexpr std::uint32_t kPulsesPerChunk = kChunkBytes / sizeof(std::uint64_t);
constexpr std::uint32_t kPulseChunks = (kMaxScopeIds + kPulsesPerChunk) / kPulsesPerChunk;
constexpr std::uint32_t kForgivenWords = 16;

struct RingChunk {
  std::uint32_t gate_version;     // twice Control::pauses as far as this thread has met it
  std::uint32_t open_bytes;       // of `open` in use; one place more while deeper ones are open that are not kept
  std::uint64_t scopes_finished;  // ends that found their begin, and spans; recorded or lost
  std::uint32_t displaced_count;
  std::uint32_t too_deep;           // so many are open that are not kept
  std::uint32_t knows_of_pause;     // not 0: the thread was there in a pause, in which its begins were not seen
  std::uint32_t allocations_chunk;  // of the deeper open scopes' ScopeAllocations, by level; 0: none yet
  std::uint32_t pulse_chunks[kPulseChunks];
  std::uint64_t ends_forgiven[kForgivenWords];  // bits by id: ends since the last pause whose begins lay in it
  ScopeAllocations allocations[kNearLevels];
  DisplacedScope displaced[kMaxDisplacedScopes];
  OpenScope below;  // no scope: what an end finds where nothing is open
  OpenScope open[kMaxOpenScopes];
  OpenScope above;  // no scope: what it finds above the last that is kept
  ScopeTimes times[kMaxOpenScopes];
  alignas(64) Segment first;

  std::uint32_t depth() const {
    const std::uint32_t depth = open_bytes / static_cast<std::uint32_t>(sizeof(OpenScope));
    return depth < kMaxOpenScopes ? depth : static_cast<std::uint32_t>(kMaxOpenScopes);
  }
  void set_depth(std::uint32_t depth) { open_bytes = depth * static_cast<std::uint32_t>(sizeof(OpenScope)); }
  // Of memory that is zero.
  void prepare() { below.begin_high = above.begin_high = kFarOff; }
};
constexpr std::uint32_t kFirstSegmentRecords = (kChunkBytes - sizeof(RingChunk)) / sizeof(dump::RingRecord);
constexpr std::uint32_t kSegmentRecords = (kChunkBytes - sizeof(Segment)) / sizeof(dump::RingRecord);
static_assert(kFirstSegmentRecords >= kMinRingRecords && kSegmentRecords >= kMinRingRecords);

// ---- time inside allocation calls -----------------------------------------------------------------------------------

// A latency histogram in ticks is one unit of 1 KiB that points to as many units of 128 counters as it has used.
constexpr std::uint32_t kUnitBytes = 1024;
constexpr std::uint32_t kUnitsPerChunk = kChunkBytes / kUnitBytes;
constexpr std::uint32_t kCountersPerUnit = kUnitBytes / sizeof(std::uint64_t);
constexpr std::uint32_t kLatencyBuckets = 247 * kCountersPerUnit;  // to 2^40 ticks, minutes; above: the last bucket
static_assert(kLatencyBuckets <= log_linear::index_of(std::uint64_t{1} << 40));

struct LatencyHistogram {
  std::uint64_t samples, sum_ticks, min_ticks, max_ticks;
  std::uint32_t unbinned;    // samples for whose counters there was no memory
  std::uint32_t units[247];  // 0: none; else chunk number * kUnitsPerChunk + place
};
static_assert(sizeof(LatencyHistogram) <= kUnitBytes);

constexpr std::uint32_t kMaxLatencyChunks = 64;  // 4 MiB a thread; then samples are counted, summed, and not binned

// ---- a thread -------------------------------------------------------------------------------------------------------

enum class SlotState : std::uint32_t { free, live, closing, drained };

struct PassedLosses {
  std::uint64_t records, from_ticks, to_ticks;
};

struct ThreadSlot {
  std::atomic<std::uint32_t> state;  // SlotState. release by the thread (live, closing) and the drain (drained, free)
  std::uint32_t serial;
  std::atomic<std::uint32_t> tid;  // 0 until the thread itself runs
  std::uint32_t flags;             // dump::ThreadFlags
  std::uint64_t start_ticks;
  std::atomic<std::uint64_t> end_ticks;
  std::atomic<std::uint32_t> version;  // moves when name or pin change, so that the thread's block is written again
  std::uint32_t version_written;       // by the drain
  std::int32_t pin_error;
  std::uint64_t start_routine, start_argument;  // of pthread_create, handed from the creator to the thread
  char name[kThreadNameBytes];
  char pin_asked[96], pin_applied[96];  // CPU lists as text, cut at 95 bytes

  std::atomic<std::uint32_t> ring_chunk;  // 0: recorded nothing
  std::uint64_t discard_before_ticks;     // as the control page's was at the thread's end, if it is to count then
  std::atomic<std::uint64_t> lost[kLossCauses];  // each written by the thread alone
  std::uint64_t loss_from_ticks, loss_to_ticks;  // the episode that is not in the ring yet
  std::uint64_t loss_records;
  std::uint32_t loss_cause;

  // The consumer's place: what lies before it is in the dump. Written after the write to the dump returned.
  std::uint32_t consumer_segment;  // chunk number
  std::uint32_t consumer_index;
  std::atomic<std::uint64_t> consumer_sequence;  // relaxed: the thread reads it only to see how far behind the drain is

  // Records that were passed over since the dump had no room, by whoever empties the ring. Those in all, of which
  // `dropped_calls` were calls of the program's, count as lost; the episode is what the dump does not tell of yet.
  std::uint64_t dropped_calls;
  std::uint64_t drop_records, drop_calls, drop_from_ticks, drop_to_ticks;
  // Among them were episodes of losses that the thread itself told of; of one perhaps only the first half so far.
  PassedLosses passed[kLossCauses];
  std::uint64_t passed_from_ticks, passed_records;

  std::uint64_t alloc_failed;
  std::uint64_t alloc_bytes;
  std::uint64_t calls[kAllocCalls][kSizeClasses];
  std::uint32_t latency[kAllocCalls][kSizeClasses];  // unit numbers of LatencyHistograms
  std::uint32_t latency_chunks[kMaxLatencyChunks];
  std::uint32_t latency_chunk_count, latency_units_used;  // units of the last chunk
};
static_assert(sizeof(ThreadSlot) <= kSlotBytes);

// What adds up of several threads.
struct ThreadCounts {
  std::uint64_t lost[kLossCauses], alloc_failed, alloc_bytes, calls[kAllocCalls][kSizeClasses];
};

// What one call costs in ticks: percentiles of what an empty one measures, and the median of what one takes in all.
struct CostRow {
  std::uint8_t kind;  // of a scope (its modes), or dump::kCost...
  std::uint32_t samples;
  std::uint64_t min, p50, p90, p99, max;
  std::uint64_t whole;
};
constexpr std::uint32_t kCostRows = kStampModes * kStampModes + 2;  // pairs of modes, a stage, a pulse

// ---- the process ----------------------------------------------------------------------------------------------------

// A file of the dump, which may go on in the next one when it is full (TL_ROTATE), to know it again: before it is
// removed, or if whoever made it died before it held anything.
struct PartFile {
  std::uint64_t suffix, device, inode;  // inode 0: none; suffix as create_with_free_suffix gave it
};

struct Control {
  std::uint64_t magic;
  std::uint32_t layout_version;
  std::uint32_t pid, parent_pid, uid;
  std::uint64_t process_start;  // in clock ticks since boot, field 22 of /proc/PID/stat: a pid alone can come again
  std::uint64_t pid_namespace;  // its inode: a pid means nothing elsewhere
  unsigned char boot_id[16];
  std::uint64_t start_unix_ns;
  std::uint32_t clock_source;  // dump::ClockSource
  std::uint32_t alloc_mode;    // AllocMode bits
  std::uint32_t alloc_observable;
  std::uint32_t ring_records, ring_pool_chunks;
  Anchor start_anchor;

  std::atomic<std::uint32_t> next_chunk;      // chunks handed out so far; never more than kMaxChunks
  std::atomic<std::uint32_t> private_chunks;  // among them not in the file: what they hold dies with the process
  std::atomic<std::uint32_t> next_serial;
  std::atomic<std::uint32_t> slots_used;  // high-water mark; slot 0 takes the calls of threads past their end
  std::atomic<std::uint32_t> ended;       // dump::EndReason once the end block was written
  std::atomic<std::uint32_t> leaving;     // dump::EndReason once the process was on its way out by itself
  std::uint64_t leaving_ticks;
  std::atomic<std::uint32_t> pauses;                // so far
  std::atomic<std::uint64_t> discard_before_ticks;  // scopes that began earlier were open across the last pause

  // The recorder's own cost, measured by the drain; rows count once they are released.
  std::atomic<std::uint32_t> cost_rows_measured;
  std::uint64_t clock_step_ticks;
  double clock_step_least, clock_step_most;  // the same with its fraction lies between these; 0: it is not that large
  CostRow cost_rows[kCostRows];

  // What the dump at `created_path` holds so far.
  std::atomic<std::uint32_t> created;  // 1: created_path is the dump's name
  std::uint32_t rotate_files;          // TL_ROTATE; 0: one file
  std::uint32_t part;                  // number of the file, from 1
  std::uint64_t records_before_part;   // ring records in the files before it
  ThreadCounts ended_in_parts;         // of threads that have ended, where a file that tells of them may be removed
  std::uint64_t part_ticks;            // when it was begun
  std::uint64_t size_limit_bytes;      // TL_SIZE; 0: none
  std::uint64_t dump_bytes;            // whole blocks that are in the file; a death may have left more behind them
  std::uint32_t names_written;
  std::uint32_t warnings_written;
  std::uint32_t snapshot;
  std::uint32_t cost_rows_written;
  std::uint64_t records_written;

  std::atomic<std::uint32_t> names_count;  // release by the registry, after the name's bytes
  std::atomic<std::uint32_t> warnings_bytes;

  char program[kProgramNameBytes + 1];
  char host[65];
  char alloc_why_not[128];
  char executable[kMaxPathBytes];
  char output[kMaxPathBytes + 32];        // TL_OUTPUT resolved at start, absolute
  char created_path[kMaxPathBytes + 64];  // with the suffix that made it new
  std::uint32_t command_bytes, command_cut;
  char command[4096];   // arguments, each with its zero
  char warnings[4096];  // code, zero, text, zero, ...

  PartFile parts[kMaxRotateFiles];  // by (number - 1) % rotate_files; without rotation the first

  std::uint32_t slot_chunks[kMaxSlots / kSlotsPerChunk];
  std::uint32_t
      name_chunks[kMaxNameChunks];  // entries: u8 length, bytes; 0 or the chunk's end: go on in the next chunk

  std::uint32_t leaves_children_out;  // TL_FOLLOW=0
  std::uint32_t run_pid;              // the process that tlrun started and this one descends from or is; 0: not known
  std::uint64_t run_start;            // its start, as process_start

  // What other processes of this user ask for (shm/requests.h). `asked` is theirs; the process believes nothing else.
  std::atomic<std::uint32_t> asked;
  std::atomic<std::uint32_t> answered, answer;  // the `asked` that was served last, and an Answer to it
  std::atomic<std::uint32_t> attended;          // 1: there is a drain, or should be: who asks can wait for the answer
};
static_assert(sizeof(Control) <= kChunkBytes);

// Before when the scopes that are open in this ring began, to count as open across a pause that its thread has not met
// yet; 0: it has met all.
inline std::uint64_t discard_before(const Control& control, const RingChunk& ring) {
  if (ring.gate_version == 2 * control.pauses.load(std::memory_order_relaxed)) return 0;
  return control.discard_before_ticks.load(std::memory_order_relaxed);
}

}  // namespace tl::shm
