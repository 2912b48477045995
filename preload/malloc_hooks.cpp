// The malloc family. Each hook: enter, the real call, leave. A free is counted before the real call, since afterwards
// the block may be another thread's already; an allocation after it, when its outcome is known.

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "boot_arena.h"
#include "real.h"
#include "record/allocations.h"

using tl::AllocCall;
using tl::preload::boot_size;
using tl::preload::is_boot_block;
using tl::preload::real;
using tl::record::AllocEntry;
using tl::record::enter;
using tl::record::leave;

namespace {

// A boot block cannot grow in place and cannot be freed: it moves to the real allocator.
TL_COLD_PATH void* move_boot_block(void* block, size_t bytes) {
  void* moved = real.malloc(bytes);
  if (moved != nullptr) memcpy(moved, block, boot_size(block) < bytes ? boot_size(block) : bytes);
  return moved;
}

// Where a product overflows the request is larger than any size.
size_t product_of(size_t count, size_t bytes) {
  size_t product;
  return __builtin_mul_overflow(count, bytes, &product) ? SIZE_MAX : product;
}

}  // namespace

extern "C" {

TL_EXPORT void* malloc(size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.malloc(bytes);
  leave(entry, AllocCall::malloc_, bytes, block == nullptr && bytes != 0);
  return block;
}

TL_EXPORT void* calloc(size_t count, size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.calloc(count, bytes);
  const size_t total = product_of(count, bytes);
  leave(entry, AllocCall::calloc_, total, block == nullptr && total != 0);
  return block;
}

TL_EXPORT void* realloc(void* block, size_t bytes) {
  const AllocEntry entry = enter();
  void* moved = TL_UNLIKELY(is_boot_block(block)) ? move_boot_block(block, bytes) : real.realloc(block, bytes);
  leave(entry, AllocCall::realloc_, bytes, moved == nullptr && bytes != 0);
  return moved;
}

TL_EXPORT void* reallocarray(void* block, size_t count, size_t bytes) {
  const AllocEntry entry = enter();
  const size_t total = product_of(count, bytes);
  void* moved = TL_UNLIKELY(is_boot_block(block) && total != SIZE_MAX) ? move_boot_block(block, total)
                                                                       : real.reallocarray(block, count, bytes);
  leave(entry, AllocCall::reallocarray_, total, moved == nullptr && total != 0);
  return moved;
}

TL_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.aligned_alloc(alignment, bytes);
  leave(entry, AllocCall::aligned_alloc_, bytes, block == nullptr && bytes != 0);
  return block;
}

TL_EXPORT int posix_memalign(void** block, size_t alignment, size_t bytes) {
  const AllocEntry entry = enter();
  const int error = real.posix_memalign(block, alignment, bytes);
  leave(entry, AllocCall::posix_memalign_, bytes, error != 0);
  return error;
}

TL_EXPORT void* memalign(size_t alignment, size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.memalign(alignment, bytes);
  leave(entry, AllocCall::memalign_, bytes, block == nullptr && bytes != 0);
  return block;
}

TL_EXPORT void* valloc(size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.valloc(bytes);
  leave(entry, AllocCall::valloc_, bytes, block == nullptr && bytes != 0);
  return block;
}

TL_EXPORT void* pvalloc(size_t bytes) {
  const AllocEntry entry = enter();
  void* block = real.pvalloc(bytes);
  leave(entry, AllocCall::pvalloc_, bytes, block == nullptr && bytes != 0);
  return block;
}

TL_EXPORT void free(void* block) {
  if (block == nullptr) return;
  const AllocEntry entry = enter();
  if (TL_LIKELY(!is_boot_block(block))) real.free(block);
  leave(entry, AllocCall::free_, 0, false);
}

TL_EXPORT size_t malloc_usable_size(void* block) {
  return TL_UNLIKELY(is_boot_block(block)) ? boot_size(block) : real.malloc_usable_size(block);
}

}  // extern "C"
