// One way to look at a process's shared memory, from inside (chunk by chunk) or from outside (the file mapped whole).
#pragma once

#include <cstdint>

#include "shm/layout.h"

namespace tl::shm {

class View {
 public:
  // From inside: pointers of the chunks by number, null where not mapped.
  constexpr explicit View(std::atomic<unsigned char*>* chunks) : chunks_(chunks) {}
  // From outside: the mapped file.
  constexpr View(unsigned char* file, std::uint64_t bytes)
      : file_(file), file_chunks_(static_cast<std::uint32_t>(bytes / kChunkBytes)) {}

  // Null where the number is 0 (which means "none" everywhere), out of range, or not mapped.
  unsigned char* chunk(std::uint32_t number) const {
    if (number == 0 || number >= kMaxChunks) return nullptr;
    if (chunks_ != nullptr) return chunks_[number].load(std::memory_order_acquire);  // pairs with the mapper's release
    return number < file_chunks_ ? file_ + std::uint64_t{number} * kChunkBytes : nullptr;
  }
  Control& control() const {
    return *reinterpret_cast<Control*>(chunks_ != nullptr ? chunks_[0].load(std::memory_order_relaxed) : file_);
  }
  ThreadSlot* slot(std::uint32_t index) const {
    if (index >= kMaxSlots) return nullptr;
    unsigned char* base = chunk(control().slot_chunks[index / kSlotsPerChunk]);
    return base == nullptr ? nullptr : reinterpret_cast<ThreadSlot*>(base + (index % kSlotsPerChunk) * kSlotBytes);
  }
  RingChunk* ring(std::uint32_t number) const { return reinterpret_cast<RingChunk*>(chunk(number)); }
  // A thread's segment: the first one lies inside its ring chunk, any other at the start of its own.
  Segment* segment(const ThreadSlot& slot, std::uint32_t number) const {
    if (number == slot.ring_chunk.load(std::memory_order_relaxed)) {
      RingChunk* r = ring(number);
      return r == nullptr ? nullptr : &r->first;
    }
    return reinterpret_cast<Segment*>(chunk(number));
  }
  void* unit(std::uint32_t number) const {
    unsigned char* base = chunk(number / kUnitsPerChunk);
    return base == nullptr ? nullptr : base + (number % kUnitsPerChunk) * kUnitBytes;
  }

 private:
  std::atomic<unsigned char*>* chunks_ = nullptr;
  unsigned char* file_ = nullptr;
  std::uint32_t file_chunks_ = 0;
};

// Whether the process did anything that is worth a dump: an allocation call other than free, or a record.
inline bool has_records(const View& view) {
  const std::uint32_t slots = view.control().slots_used.load(std::memory_order_acquire);  // pairs with the slot's taker
  for (std::uint32_t i = 0; i < slots && i < kMaxSlots; ++i) {
    const ThreadSlot* slot = view.slot(i);
    if (slot == nullptr) continue;
    if (slot->ring_chunk.load(std::memory_order_relaxed) != 0) return true;
    for (unsigned call = 0; call < kAllocCalls; ++call)
      for (unsigned k = 0; call != static_cast<unsigned>(AllocCall::free_) && k < kSizeClasses; ++k)
        if (slot->calls[call][k] != 0) return true;
  }
  return view.control().created.load(std::memory_order_relaxed) != 0;
}

// Whether a ring holds a whole record that is not in the dump.
inline bool has_unwritten(const View& view) {
  const std::uint32_t slots = view.control().slots_used.load(std::memory_order_acquire);  // pairs with the slot's taker
  for (std::uint32_t i = 0; i < slots && i < kMaxSlots; ++i) {
    const ThreadSlot* slot = view.slot(i);
    const std::uint32_t ring_chunk = slot == nullptr ? 0 : slot->ring_chunk.load(std::memory_order_acquire);
    if (ring_chunk == 0) continue;
    const std::uint32_t number = slot->consumer_segment == 0 ? ring_chunk : slot->consumer_segment;
    const Segment* segment = view.segment(*slot, number);
    if (segment == nullptr) continue;
    if (slot->consumer_index >= segment->capacity) {
      if (segment->next_chunk.load(std::memory_order_acquire) != 0) return true;
    } else if (__atomic_load_n(&segment->records()[slot->consumer_index].word, __ATOMIC_ACQUIRE) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace tl::shm
