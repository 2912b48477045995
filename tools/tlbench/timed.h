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

struct FloorRecord {
  std::uint64_t end_ticks;
  std::uint64_t begin_ticks;
};
constexpr std::size_t kFloorRecords = kFloorRingBytes / sizeof(FloorRecord);

// What a thread's operations need; its own, so that threads share nothing but the recorder.
struct Work {
  FloorRecord* ring = nullptr;   // kFloorRecords of them
  std::uint64_t head = 0;        // records written; the next one's place, modulo the ring
  std::uint32_t ids[kIds] = {};  // registered scopes; 0 without the library
  std::uint32_t next_id = 0;
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

// The ticks that one operation takes, between fences.
std::uint64_t ticks_of_one(Operation, Work&);
// Now, unfenced, for batches of many operations.
std::uint64_t ticks_now();

}  // namespace tl::tlbench
