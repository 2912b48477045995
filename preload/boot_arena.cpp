#include "boot_arena.h"

#include <atomic>

namespace tl::preload {

alignas(4096) unsigned char boot_memory[kBootBytes];

namespace {
constexpr size_t kHeaderBytes = 16;
constinit std::atomic<size_t> used{0};
}  // namespace

void* boot_allocate(size_t bytes, size_t alignment) {
  if (alignment < kHeaderBytes) alignment = kHeaderBytes;
  size_t from = used.load(std::memory_order_relaxed), start;
  do {
    if (bytes > kBootBytes || alignment > kBootBytes) return nullptr;
    start = (from + kHeaderBytes + alignment - 1) & ~(alignment - 1);
    if (start > kBootBytes || bytes > kBootBytes - start) return nullptr;
  } while (!used.compare_exchange_weak(from, start + bytes, std::memory_order_relaxed));
  *reinterpret_cast<size_t*>(boot_memory + start - sizeof(size_t)) = bytes;
  return boot_memory + start;
}

size_t boot_size(const void* block) { return *(static_cast<const size_t*>(block) - 1); }

}  // namespace tl::preload
