#include "tlbench/timed.h"

// Without TL_LINKED: one binary runs with the library preloaded and without it.
#include <telemetry/telemetry.h>

#include <cstdlib>

#include "tlbench/undrained.h"

#if !defined(__x86_64__)
#error "the floor is made of the time stamp counter of x86-64"
#endif

namespace tl::tlbench {

namespace {

inline std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

// volatile: two stamps are two, though nothing seems to change between them. "memory": the compiler may move no store
// over a stamp, so that the record is written after both, as a recorder must. (It could not hoist them out of the loop
// either way.) What the processor makes of the order is the point of the three kinds.

// Waits for nothing: the stamp may be taken before earlier instructions are done.
inline std::uint64_t rdtsc() {
  std::uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
  return joined(low, high);
}

// Waits for the instructions before it. It also loads the processor's number into ecx, which is not used here.
inline std::uint64_t rdtscp() {
  std::uint32_t low, high;
  asm volatile("rdtscp" : "=a"(low), "=d"(high) : : "ecx", "memory");
  return joined(low, high);
}

// The fence in the same asm as the stamp, so that the compiler puts nothing between them: before it nothing is still
// under way,
inline std::uint64_t fenced_begin() {
  std::uint32_t low, high;
  asm volatile("lfence\n\trdtscp" : "=a"(low), "=d"(high) : : "ecx", "memory");
  return joined(low, high);
}

// and after it nothing has begun yet.
inline std::uint64_t fenced_end() {
  std::uint32_t low, high;
  asm volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high) : : "ecx", "memory");
  return joined(low, high);
}

// The head lives in a register for the length of the loop: the least that a ring can cost, and less than one that
// another thread is to read.
template <std::uint64_t (*begin)(), std::uint64_t (*end)()>
inline __attribute__((always_inline)) void floor_pairs(Work& work, std::uint32_t pairs) {
  FloorRecord* const ring = work.ring;
  std::uint64_t head = work.head;
  for (; pairs != 0; --pairs) {
    const std::uint64_t begin_ticks = begin();
    const std::uint64_t end_ticks = end();
    FloorRecord& record = ring[head++ % kFloorRecords];
    record.end_ticks = end_ticks;
    __atomic_store_n(&record.begin_ticks, begin_ticks, __ATOMIC_RELEASE);  // as for a reader that waits for it
  }
  work.head = head;
}

template <unsigned depth>
inline __attribute__((always_inline)) void nest(const tl_scope_id* ids) {
  tl_scope_begin(ids[0]);
  if constexpr (depth > 1) nest<depth - 1>(ids + 1);
  tl_scope_end(ids[0]);
}

}  // namespace

void floor_fast(Work& work, std::uint32_t pairs) { floor_pairs<rdtsc, rdtsc>(work, pairs); }
void floor_mid(Work& work, std::uint32_t pairs) { floor_pairs<rdtscp, rdtscp>(work, pairs); }
void floor_hard(Work& work, std::uint32_t pairs) { floor_pairs<fenced_begin, fenced_end>(work, pairs); }

void scope_fast(Work& work, std::uint32_t pairs) {
  const tl_scope_id id = work.ids[0];
  for (; pairs != 0; --pairs) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
}

void scope_mid(Work& work, std::uint32_t pairs) {
  const tl_scope_id id = work.ids[0];
  for (; pairs != 0; --pairs) {
    tl_scope_begin_mid(id);
    tl_scope_end_mid(id);
  }
}

void scope_hard(Work& work, std::uint32_t pairs) {
  const tl_scope_id id = work.ids[0];
  for (; pairs != 0; --pairs) {
    tl_scope_begin_hard(id);
    tl_scope_end_hard(id);
  }
}

void scope_next(Work& work, std::uint32_t stages) {
  for (; stages != 0; --stages) tl_scope_next(work.ids[stages % kStages]);
}

void scope_nested8(Work& work, std::uint32_t pairs) {
  for (; pairs >= kNest; pairs -= kNest) nest<kNest>(work.ids);
}

void scope_ids1000(Work& work, std::uint32_t pairs) {
  std::uint32_t next = work.next_id;
  for (; pairs != 0; --pairs) {
    const tl_scope_id id = work.ids[next];
    next = next + 1 == kIds ? 0 : next + 1;
    tl_scope_begin(id);
    tl_scope_end(id);
  }
  work.next_id = next;
}

// The block escapes, or a compiler would do without both calls.
void allocate_64(Work&, std::uint32_t pairs) {
  for (; pairs != 0; --pairs) {
    void* block = std::malloc(kAllocatedBytes);
    asm volatile("" : "+r"(block) : : "memory");
    std::free(block);
  }
}

// Beside the call there is what the header does around it.
void undrained_fast(Work& work, std::uint32_t pairs) {
  const tl_scope_id id = work.ids[0];
  for (; pairs != 0; --pairs) {
    if (undrained_calls.begin != nullptr && tl_is_active()) undrained_calls.begin(id);
    if (undrained_calls.end != nullptr && tl_is_active()) undrained_calls.end(id);
  }
}

std::uint64_t ticks_of_one(Operation operation, Work& work) {
  const std::uint64_t begin_ticks = fenced_begin();
  operation(work, 1);
  return fenced_end() - begin_ticks;
}

std::uint64_t ticks_now() { return rdtsc(); }

}  // namespace tl::tlbench
