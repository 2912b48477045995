#include "record/scope_allocations.h"

#include <utility>

#include "record/open_scopes.h"
#include "record/process.h"
#include "record/ring.h"

namespace tl::record {

namespace {

// Null: nothing was charged at such a level so far.
shm::ScopeAllocations* find_level(shm::RingChunk& ring, std::uint32_t level) {
  if (level < shm::kNearLevels) return &ring.allocations[level];
  if (ring.allocations_chunk == 0) return nullptr;
  return reinterpret_cast<shm::ScopeAllocations*>(view().chunk(ring.allocations_chunk)) + level;
}

// Null: there is no memory for it, or the thread is being given some (a handler).
shm::ScopeAllocations* make_level(ThreadState& thread, std::uint32_t level) {
  shm::RingChunk& ring = *thread.ring;
  if (level >= shm::kNearLevels && ring.allocations_chunk == 0 && thread.busy == 0) {
    ++thread.busy;
    compiler_fence();
    ring.allocations_chunk = take_chunk();
    compiler_fence();
    --thread.busy;
  }
  return find_level(ring, level);
}

std::uint64_t at_most(std::uint64_t number) { return number < dump::kMaxNumber ? number : dump::kMaxNumber; }

}  // namespace

void charge_scope(ThreadState& thread, AllocCall call, std::uint64_t bytes, bool failed, std::uint64_t ticks) {
  shm::RingChunk& ring = *thread.ring;
  std::uint32_t level = ring.depth();
  while (level > 0 && open_id(ring.open[level - 1], ring.times[level - 1]) == 0) --level;  // of before a pause
  if (level-- == 0) return;
  shm::ScopeAllocations* charged = make_level(thread, level);
  if (charged == nullptr) return;
  shm::OpenScope& scope = ring.open[level];
  const std::uint64_t begin_ticks = begin_of(scope, ring.times[level]);
  if (charged->begin_ticks != begin_ticks) *charged = {begin_ticks, 0, 0, 0};
  charged->count += call != AllocCall::free_;
  charged->bytes += failed ? 0 : bytes;
  charged->ticks += ticks;
  if (scope.begin_high == shm::kFarOff) return;
  ring.times[level] = {begin_ticks, 0, shm::WhyFarOff::intended};
  compiler_fence();
  scope.begin_high = shm::kFarOff;
}

shm::ScopeAllocations take_allocations(shm::RingChunk& ring, std::uint32_t level) {
  shm::ScopeAllocations* charged = find_level(ring, level);
  if (charged == nullptr || charged->begin_ticks != begin_of(ring.open[level], ring.times[level])) return {};
  return std::exchange(*charged, {});
}

void move_allocations(shm::RingChunk& ring, std::uint32_t to, std::uint32_t from) {
  const shm::ScopeAllocations* charged = find_level(ring, from);
  if (shm::ScopeAllocations* place = find_level(ring, to))
    *place = charged == nullptr ? shm::ScopeAllocations{} : *charged;
}

std::uint32_t add_allocations(dump::RingRecord* row, std::uint32_t id, const shm::ScopeAllocations& allocations,
                              std::uint64_t end_ticks) {
  if (allocations.count == 0 && allocations.ticks == 0) return 0;
  row[0] = {end_ticks, dump::record_word(id, dump::RecordKind::allocated_count, at_most(allocations.count))};
  row[1] = {end_ticks, dump::record_word(id, dump::RecordKind::allocated_bytes, at_most(allocations.bytes))};
  row[2] = {end_ticks, dump::record_word(id, dump::RecordKind::allocator_ticks, at_most(allocations.ticks))};
  return 3;
}

}  // namespace tl::record
