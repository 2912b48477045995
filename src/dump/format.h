// The dump on disk: constants and the framing of blocks. FORMAT.md beside this file is the same in prose, byte by byte;
// writer (shm/collector) and reader (read/) take every number from here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/stamp_mode.h"

namespace tl::dump {

using tl::kStampModes;
using tl::StampMode;

// The file begins with these 16 bytes, then blocks follow without gaps until its end.
struct FileHeader {
  char signature[8];
  std::uint32_t version;
  std::uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 16);

constexpr char kSignature[8] = {'T', 'L', 'D', 'U', 'M', 'P', '\r', '\n'};
constexpr std::uint32_t kVersion = 1;

enum class BlockType : std::uint16_t {
  process = 1,
  anchor = 2,
  names = 3,
  thread = 4,
  records = 5,
  events = 6,
  counters = 7,
  latency = 8,
  open_scopes = 9,
  warning = 10,
  end = 11,
  cost = 12,
  part = 13,
  run = 14,
};
constexpr BlockType kLastBlockType = BlockType::run;

constexpr std::uint32_t kBlockMagic = 0x4b4c4254;  // "TBLK": where a damaged file can be taken up again
constexpr std::uint32_t kNoThread = 0xffffffff;
constexpr std::size_t kMaxPayloadBytes = 1u << 20;

struct BlockHeader {
  std::uint32_t magic;
  std::uint32_t checksum;  // low half of XXH3-64 over the header from `type` on, then the payload
  std::uint16_t type;
  std::uint16_t version;  // of this type's payload
  std::uint32_t payload_bytes;
  std::uint32_t thread;       // serial, or kNoThread
  std::uint32_t count;        // records in the payload, where the type has records
  std::uint64_t first_ticks;  // of the first record, or when the block was made
};
static_assert(sizeof(BlockHeader) == 32);

// A ring's record, as it lies in shared memory and in `events` blocks: when, then id, kind and a number of 40 bits.
// The second word is never 0: it is the mark that the record is whole.
struct RingRecord {
  std::uint64_t ticks;
  std::uint64_t word;
};
static_assert(sizeof(RingRecord) == 16);

enum class RecordKind : std::uint8_t {
  // Common ones, in `records` blocks. The low four bits of a scope are its modes: of the begin, then of the end.
  scope = 0x00,           // ticks = end, number = duration in ticks
  span = 0x10,            // the same with stamps that the program carried; outside the nesting
  pulse = 0x20,           // ticks = pulse, number = ticks since the thread's previous one of that id
  value = 0x30,           // ticks = when, number = the value, zigzag-coded
  response = 0x40,        // of the scope in the next record; number = ticks from its intended begin to its end
  early_response = 0x41,  // the same where the intended begin lay in the future: number = the scope's own duration
  // What a scope itself, without those inside, asked of the allocator: before its response or itself, with its id and
  // end.
  allocated_count = 0x50,  // number = calls that may return a block
  allocated_bytes = 0x51,  // number = bytes they asked for, if they did not fail
  allocator_ticks = 0x52,  // number = ticks inside all calls, frees too

  // Rare ones, in `events` blocks.
  wide_from = 0x80,  // the number does not fit: ticks = the begin, or the value itself; the next record is its wide_to
  wide_to = 0x81,    // ticks = end or when, number = the kind that this is one of
  mismatch = 0x82,   // an end that is not of the innermost scope; number = 1 if its begin was found
  loss_from = 0x83,  // ticks = first loss of an episode, number = records lost; its loss_to is the next record
  loss_to = 0x84,    // ticks = last loss, number = LossCause
  abandoned = 0x85,  // ticks = begin of a scope that waited for its end behind 16 others: it counts as unfinished
  discarded = 0x86,  // ticks = begin of a scope that was open across a pause; 0: not known
  mark = 0x87,       // ticks = when, number = bytes of text in the mark_text records that follow
  mark_text = 0x88,  // 13 bytes: eight in ticks, five in the number, lowest first
  nothing = 0x89,    // fills the place of records that needed more of it
  dropped = 0x8a,    // ticks = when, number = ring records passed over for want of room: that many are missing then
};

constexpr bool is_common(RecordKind kind) { return static_cast<std::uint8_t>(kind) < 0x80; }

constexpr RecordKind scope_kind(StampMode begin, StampMode end) {
  return static_cast<RecordKind>(static_cast<unsigned>(begin) << 2 | static_cast<unsigned>(end));
}
constexpr bool is_scope(RecordKind kind) { return static_cast<std::uint8_t>(kind) < 0x10; }

constexpr std::size_t kMarkBytesPerRecord = 13;

// What a `cost` row is about, where it is not a scope of certain modes.
constexpr std::uint8_t kCostNext = 0x10, kCostPulse = 0x20;

// The sequence of an `events` block whose records never were in a ring.
constexpr std::uint64_t kOutsideTheRing = ~std::uint64_t{0};

constexpr unsigned kNumberBits = 40;
constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << kNumberBits) - 1;

constexpr std::uint64_t record_word(std::uint32_t id, RecordKind kind, std::uint64_t number) {
  return std::uint64_t{id} << 48 | std::uint64_t{static_cast<std::uint8_t>(kind)} << kNumberBits | number;
}
constexpr std::uint32_t id_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 48); }
constexpr RecordKind kind_of(std::uint64_t word) { return static_cast<RecordKind>(word >> kNumberBits & 0xff); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word & kMaxNumber; }

// Each number of either sign as a small unsigned one, if it is small.
constexpr std::uint64_t zigzag(std::uint64_t number) {
  return number << 1 ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(number) >> 63);
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) { return coded >> 1 ^ (0 - (coded & 1)); }

enum class ClockSource : std::uint8_t { tsc = 1, clock_gettime = 2 };

// How the process ended, as far as the writer of the `end` block knew. Continued: it did not, the next part goes on.
enum class EndReason : std::uint8_t { none = 0, exit = 1, exec = 2, signal = 3, killed = 4, continued = 5 };

// What an `open_scopes` row says beside the id.
enum OpenScopeFlags : std::uint32_t { kOpenDisplaced = 1, kOpenDiscarded = 2 };

enum ThreadFlags : std::uint8_t { kThreadMain = 1, kThreadForeign = 2, kThreadOrphan = 4 };

}  // namespace tl::dump
