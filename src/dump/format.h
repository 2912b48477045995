// The dump on disk: constants and the framing of blocks. FORMAT.md beside this file is the same in prose, byte by byte;
// writer (shm/collector) and reader (read/) take every number from here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::dump {

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
  scopes = 5,
  events = 6,
  counters = 7,
  latency = 8,
  open_scopes = 9,
  warning = 10,
  end = 11,
};

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

// A ring's record, as it lies in shared memory and in `events` blocks: when, then id, kind and a number of 44 bits.
// The second word is never 0: it is the mark that the record is whole.
struct RingRecord {
  std::uint64_t ticks;
  std::uint64_t word;
};
static_assert(sizeof(RingRecord) == 16);

enum class RecordKind : std::uint8_t {
  scope = 0,       // ticks = end, number = duration in ticks
  long_begin = 1,  // ticks = begin of a scope too long for the number; its long_end is the next record
  long_end = 2,    // ticks = end
  mismatch = 3,    // an end that is not of the innermost scope; number = 1 if its begin was found
  loss_from = 4,   // ticks = first loss of an episode, number = records lost; its loss_to is the next record
  loss_to = 5,     // ticks = last loss, number = LossCause
  abandoned = 6,   // ticks = begin of a scope that waited for its end behind 16 others: it counts as unfinished
};

// The sequence of an `events` block whose records never were in a ring.
constexpr std::uint64_t kOutsideTheRing = ~std::uint64_t{0};

constexpr unsigned kNumberBits = 44;
constexpr std::uint64_t kMaxNumber = (std::uint64_t{1} << kNumberBits) - 1;

constexpr std::uint64_t record_word(std::uint32_t id, RecordKind kind, std::uint64_t number) {
  return std::uint64_t{id} << 48 | std::uint64_t{static_cast<std::uint8_t>(kind)} << kNumberBits | number;
}
constexpr std::uint32_t id_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 48); }
constexpr RecordKind kind_of(std::uint64_t word) { return static_cast<RecordKind>(word >> kNumberBits & 0xf); }
constexpr std::uint64_t number_of(std::uint64_t word) { return word & kMaxNumber; }

enum class ClockSource : std::uint8_t { tsc = 1, clock_gettime = 2 };

// How the process ended, as far as the writer of the `end` block knew.
enum class EndReason : std::uint8_t { none = 0, exit = 1, exec = 2, signal = 3, killed = 4 };

enum ThreadFlags : std::uint8_t { kThreadMain = 1, kThreadForeign = 2, kThreadOrphan = 4 };

}  // namespace tl::dump
