// The hot path is record/hot.h, as the library compiles it. Here stand, in its words, the few things that it reaches
// for: a gate that is open, a thread's state, and where to go on when a segment is full. The library's own would bring
// with them its symbols for programs, among them the one by which a program knows whether it is there.
#include "tlbench/undrained.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/limits.h"
#include "record/hot.h"

namespace tl::tlbench {

namespace {

// As the library's rings: a chunk of shared memory begins with a header.
constexpr std::size_t kPieces = kDefaultRingRecords * sizeof(dump::RingRecord) / kChunkBytes;
constexpr std::size_t kBytes = (kPieces + 1) * kChunkBytes;  // the hot path fetches ahead of what it writes

struct Unmap {
  void operator()(unsigned char* memory) const { munmap(memory, kBytes); }
};

struct Ring {
  shm::RingChunk open_scopes{};
  std::unique_ptr<unsigned char, Unmap> memory;
  std::size_t piece = 0;

  Ring() {
    void* const got = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "no memory for a ring");
    memory.reset(static_cast<unsigned char*>(got));
    madvise(got, kBytes, MADV_NOHUGEPAGE);  // nor does shared memory have huge pages
    for (std::size_t at = 0; at < kBytes; at += 4096) memory.get()[at] = 1;
    open_scopes.prepare();
  }
  dump::RingRecord* records_of(std::size_t of) const {
    return reinterpret_cast<shm::Segment*>(memory.get() + of * kChunkBytes)->records();
  }
};

thread_local std::unique_ptr<Ring> ring;
__thread record::ThreadState state{record::kCursorFull,  nullptr, nullptr, nullptr, nullptr, nullptr, 0, 0, 0,
                                   record::Life::unborn, 0};

void use_piece(std::size_t piece) {
  ring->piece = piece % kPieces;
  state.cursor = record::cursor_at(ring->records_of(ring->piece), shm::kSegmentRecords);
}

void begin(std::uint32_t id) { record::begin<StampMode::fast>(state, id); }
void end(std::uint32_t id) { record::end<StampMode::fast>(state, id); }

}  // namespace

UndrainedCalls undrained_calls = {begin, end};

void empty_undrained_ring() {
  if (ring == nullptr) ring = std::make_unique<Ring>();
  state.ring = &ring->open_scopes;
  use_piece(0);
}

std::vector<dump::RingRecord> undrained_records() {
  std::vector<dump::RingRecord> out;
  for (std::size_t piece = 0; piece <= ring->piece; ++piece) {
    const dump::RingRecord* first = ring->records_of(piece);
    out.insert(out.end(), first, piece < ring->piece ? first + shm::kSegmentRecords : record::record_at(state.cursor));
  }
  return out;
}

}  // namespace tl::tlbench

namespace tl::record {

constinit Gate gate{kMaxScopeIds, 0, 0, 0, 0, 0};

TL_COLD_PATH void publish_cold(ThreadState& thread, std::uint64_t ticks, std::uint64_t word) {
  tlbench::use_piece(tlbench::ring->piece + 1);
  put_hot(thread, ticks, word);
}

// Two CPUs' counters may disagree about what came first. Leaves the scope out.
TL_COLD_PATH void end_cold(ThreadState& thread, std::uint32_t, StampMode, std::uint64_t) {
  thread.ring->open_bytes -= static_cast<std::uint32_t>(sizeof(shm::OpenScope));
}

// What the loops here never do: nest too deep, use an id that is none, record without a ring.
TL_COLD_PATH void begin_cold(ThreadState&, std::uint32_t, StampMode) { std::abort(); }
TL_COLD_PATH void end_closed(ThreadState&, std::uint32_t, StampMode) { std::abort(); }

}  // namespace tl::record
