#define TL_LANES static
#define TL_VECTOR_BYTES 16
#if defined(__x86_64__)
#include <emmintrin.h>
#define TL_PRODUCT(a, b) ((Halves)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#else
#define TL_PRODUCT(a, b) ((a) * (b))
#endif
#include "dump/lanes_code.h"

namespace tl::dump {

constinit const LaneCode kBaselineLanes = kCode;

}  // namespace tl::dump
