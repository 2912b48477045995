// The allocation calls that are counted, each under its C name. The order is part of the dump format: append only.
#pragma once

#include <cstdint>

namespace tl {

enum class AllocCall : std::uint8_t {
  malloc_,
  calloc_,
  realloc_,
  reallocarray_,
  aligned_alloc_,
  posix_memalign_,
  memalign_,
  valloc_,
  pvalloc_,
  free_,
};
constexpr unsigned kAllocCalls = 10;

constexpr const char* kAllocCallNames[kAllocCalls] = {
    "malloc",         "calloc",   "realloc", "reallocarray", "aligned_alloc",
    "posix_memalign", "memalign", "valloc",  "pvalloc",      "free"};

// What TL_ALLOC asks for, as bits.
enum AllocMode : std::uint32_t { kAllocOff = 0, kAllocCount = 1, kAllocTime = 2 };

}  // namespace tl
