// What is timed: the recorder through its public header, and the floor that it is compared with, the least that any
// recorder of scopes must do: two stamps and one record of 16 bytes.
//
// Everything here is compiled with the same flags (tools/CMakeLists.txt): no unrolling, no inlining into the caller,
// every function and loop on a cache line of its own, so that a case and its reference differ in nothing but what they
// do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tl::tlbench {

constexpr std::size_t kFloorRingBytes = 65536;  // stays in the cache of a core, as a ring that is drained does
constexpr std::size_t kIds = 1000;
constexpr unsigned kNest = 8;
constexpr unsigned kStages = 4;
constexpr unsigned kNestedStages = 4;
constexpr double kItemNs = 5000;  // 200,000 items a second

struct FloorRecord {
  std::uint64_t end_ticks;
  std::uint64_t begin_ticks;
};
constexpr std::size_t kFloorRecords = kFloorRingBytes / sizeof(FloorRecord);

// What the inner stages of an item take: the table is gone through again and again.
struct StageTimes {
  static constexpr std::size_t kItems = 4096;
  std::uint64_t item_ticks = 0;
  std::uint32_t ticks[kItems][kNestedStages - 1] = {};
};

struct Encoding;

// What a thread's operations need; its own, so that threads share nothing but the recorder.
struct Work {
  FloorRecord* ring = nullptr;   // kFloorRecords of them
  std::uint64_t head = 0;        // records written; the next one's place, modulo the ring
  std::uint32_t ids[kIds] = {};  // registered scopes; 0 without the library
  std::uint32_t next_id = 0;
  const StageTimes* stages = nullptr;
  std::uint64_t items = 0, due_ticks = 0;  // done so far, and when the next one is due
  std::uint64_t random = 1;
  Encoding* encoding = nullptr;
};

// Runs so many operations: pairs of begin and end, or stages.
using Operation = void (*)(Work&, std::uint32_t count);

void floor_fast(Work&, std::uint32_t pairs);  // rdtsc, rdtsc, record
void floor_mid(Work&, std::uint32_t pairs);   // rdtscp, rdtscp, record
void floor_hard(Work&, std::uint32_t pairs);  // lfence rdtscp, rdtscp lfence, record

void scope_fast(Work&, std::uint32_t pairs);
void scope_mid(Work&, std::uint32_t pairs);
void scope_hard(Work&, std::uint32_t pairs);
void scope_next(Work&, std::uint32_t stages);    // leaves the last stage open
void scope_nested8(Work&, std::uint32_t pairs);  // a multiple of kNest
void scope_ids1000(Work&, std::uint32_t pairs);  // another id each time

// The pair of `scope_fast`, recorded by the same code into memory that nobody drains.
void undrained_fast(Work&, std::uint32_t pairs);

// A block of so many bytes from the allocator, and back.
constexpr std::uint64_t kAllocatedBytes = 64;
void allocate_64(Work&, std::uint32_t pairs);

// Items that are due every kItemNs: a stage, and inside it three more, one after the other, each busy for its time. Of
// four ids, or each stage of one of kIds, whichever comes.
void record_stages(Work&, std::uint32_t items);
void record_ids1000(Work&, std::uint32_t items);
void undrained_stages(Work&, std::uint32_t items);
void undrained_ids1000(Work&, std::uint32_t items);

// The ticks that one operation takes, between fences.
std::uint64_t ticks_of_one(Operation, Work&);
// Now, unfenced, for batches of many operations.
std::uint64_t ticks_now();

}  // namespace tl::tlbench
