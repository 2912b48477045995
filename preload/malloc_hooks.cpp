// The malloc family: each call counted around the real one.

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
using tl::record::count_ahead;
using tl::record::count_free_ahead;
using tl::record::counted;

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

// A null for nothing (malloc(0) of some allocators, realloc(block, 0) of all) is no failure.
auto null_for(size_t bytes) {
  return [bytes](const void* block) { return block == nullptr && bytes != 0; };
}

// Where calls go that are counted already: straight on, or past a look at their results.
struct Ahead {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
};
constinit Ahead ahead{};

void* looked_at(void* block, size_t bytes) {
  if (TL_UNLIKELY(block == nullptr && bytes != 0)) tl::record::count_as_failed(bytes);
  return block;
}
constexpr Ahead kLookedAt = {
    [](size_t bytes) { return looked_at(real.malloc(bytes), bytes); },
    [](size_t count, size_t bytes) { return looked_at(real.calloc(count, bytes), count * bytes); },
    [](void* block, size_t bytes) { return looked_at(real.realloc(block, bytes), bytes); },
};

void look_at_results() {
  __atomic_store_n(&ahead.malloc, kLookedAt.malloc, __ATOMIC_RELAXED);
  __atomic_store_n(&ahead.calloc, kLookedAt.calloc, __ATOMIC_RELAXED);
  __atomic_store_n(&ahead.realloc, kLookedAt.realloc, __ATOMIC_RELAXED);
}

}  // namespace

namespace tl::preload {

void begin_to_count() {
  ahead = {real.malloc, real.calloc, real.realloc};
  record::counts_ahead_mask = allocator_is_libc() ? ~std::uintptr_t{0} : 0;
  record::look_at_results = look_at_results;
}

}  // namespace tl::preload

// Their short ways fit into one line of the cache of decoded instructions; across two they take a cycle more, of some
// twenty.
#define TL_ONE_LINE __attribute__((aligned(64)))

extern "C" {

TL_EXPORT TL_ONE_LINE void* malloc(size_t bytes) {
  if (TL_LIKELY(count_ahead(AllocCall::malloc_, bytes))) return ahead.malloc(bytes);
  return counted(
      AllocCall::malloc_, bytes, [=] { return real.malloc(bytes); }, null_for(bytes));
}

TL_EXPORT TL_ONE_LINE void* calloc(size_t count, size_t bytes) {
  const size_t total = product_of(count, bytes);
  if (TL_LIKELY(count_ahead(AllocCall::calloc_, total))) return ahead.calloc(count, bytes);
  return counted(
      AllocCall::calloc_, total, [=] { return real.calloc(count, bytes); }, null_for(total));
}

TL_EXPORT TL_ONE_LINE void* realloc(void* block, size_t bytes) {
  if (TL_LIKELY(!is_boot_block(block) && count_ahead(AllocCall::realloc_, bytes))) return ahead.realloc(block, bytes);
  const auto resize = [=] {
    return TL_UNLIKELY(is_boot_block(block)) ? move_boot_block(block, bytes) : real.realloc(block, bytes);
  };
  return counted(AllocCall::realloc_, bytes, resize, null_for(bytes));
}

TL_EXPORT void* reallocarray(void* block, size_t count, size_t bytes) {
  const size_t total = product_of(count, bytes);
  const auto resize = [=] {
    return TL_UNLIKELY(is_boot_block(block) && total != SIZE_MAX) ? move_boot_block(block, total)
                                                                  : real.reallocarray(block, count, bytes);
  };
  return counted(AllocCall::reallocarray_, total, resize, null_for(total));
}

TL_EXPORT void* aligned_alloc(size_t alignment, size_t bytes) {
  return counted(
      AllocCall::aligned_alloc_, bytes, [=] { return real.aligned_alloc(alignment, bytes); }, null_for(bytes));
}

TL_EXPORT int posix_memalign(void** block, size_t alignment, size_t bytes) {
  return counted(
      AllocCall::posix_memalign_, bytes, [=] { return real.posix_memalign(block, alignment, bytes); },
      [](int error) { return error != 0; });
}

TL_EXPORT void* memalign(size_t alignment, size_t bytes) {
  return counted(
      AllocCall::memalign_, bytes, [=] { return real.memalign(alignment, bytes); }, null_for(bytes));
}

TL_EXPORT void* valloc(size_t bytes) {
  return counted(
      AllocCall::valloc_, bytes, [=] { return real.valloc(bytes); }, null_for(bytes));
}

TL_EXPORT void* pvalloc(size_t bytes) {
  return counted(
      AllocCall::pvalloc_, bytes, [=] { return real.pvalloc(bytes); }, null_for(bytes));
}

TL_EXPORT TL_ONE_LINE void free(void* block) {
  if (block == nullptr) return;
  if (TL_LIKELY(!is_boot_block(block) && count_free_ahead())) return real.free(block);
  const auto release = [=] {
    if (TL_LIKELY(!is_boot_block(block))) real.free(block);
    return 0;
  };
  counted(AllocCall::free_, 0, release, [](int) { return false; });
}

TL_EXPORT size_t malloc_usable_size(void* block) {
  return TL_UNLIKELY(is_boot_block(block)) ? boot_size(block) : real.malloc_usable_size(block);
}

// Its name leads to the program's malloc where that comes first; this one to ours.
__attribute__((visibility("hidden"), alias("malloc"), malloc, alloc_size(1), nothrow, leaf)) void* tl_own_malloc(
    size_t bytes);

}  // extern "C"
