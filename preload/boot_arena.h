// Memory for the calls that come while the real allocator is being looked up: dlsym itself may allocate (for dlerror,
// or for thread-local storage). A fixed area, 16-aligned, each block with its size before it; blocks live as long as
// the process, so free is a no-op and ownership is one compare.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

namespace tl::preload {

constexpr size_t kBootBytes = 65536;
TL_OURS extern unsigned char boot_memory[kBootBytes];

inline bool is_boot_block(const void* block) {
  return reinterpret_cast<uintptr_t>(block) - reinterpret_cast<uintptr_t>(boot_memory) < kBootBytes;
}
// Zeroed; null when the area is full. `alignment`: a power of two.
void* boot_allocate(size_t bytes, size_t alignment);
size_t boot_size(const void* block);

}  // namespace tl::preload
