#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

#define TL_LANES __attribute__((target("avx2"))) static
#define TL_VECTOR_BYTES 32
#define TL_PRODUCT(a, b) ((Halves)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#include "dump/lanes_code.h"

namespace tl::dump {

namespace {

constinit const LaneCode kAvx2Lanes = kCode;

// The processor has the instructions, and its kernel keeps the registers. Asked here, without libgcc's table: that is
// filled by a constructor, and the library may run before any.
bool has_avx2() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0) return false;
  unsigned kept, upper;
  __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
  return (kept & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) != 0;
}

}  // namespace

const LaneCode* avx2_lanes() { return has_avx2() ? &kAvx2Lanes : nullptr; }

}  // namespace tl::dump

#else

#include "dump/lanes.h"

namespace tl::dump {

const LaneCode* avx2_lanes() { return nullptr; }

}  // namespace tl::dump

#endif
