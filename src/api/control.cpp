// The C ABI beside records: stamps, counts, control, identity.

#include "base/attributes.h"
#include "clock/calibration.h"
#include "clock/tsc.h"
#include "drain/lifecycle.h"
#include "record/allocations.h"
#include "record/gate.h"

#define TL_IMPLEMENTATION
#include <telemetry/telemetry.h>

using tl::StampMode;

extern "C" {

TL_EXPORT uint64_t tl_ticks(void) { return tl::clock::ticks(); }
TL_EXPORT uint64_t tl_ticks_mid(void) { return tl::clock::ticks_at_begin<StampMode::mid>(); }
TL_EXPORT uint64_t tl_ticks_hard_begin(void) { return tl::clock::ticks_at_begin<StampMode::hard>(); }
TL_EXPORT uint64_t tl_ticks_hard_end(void) { return tl::clock::ticks_at_end<StampMode::hard>(); }

TL_EXPORT double tl_ns_from_ticks(uint64_t ticks) { return static_cast<double>(ticks) * tl::clock::ns_per_tick(); }
// The quiet comparisons: none of this raises a floating-point exception that the program may have made deadly.
TL_EXPORT uint64_t tl_ticks_from_ns(double ns) {
  if (!__builtin_isgreater(ns, 0.0)) return 0;
  const double ns_per_tick = tl::clock::ns_per_tick();
  if (!__builtin_isless(ns, 18446744073709549568.0 * ns_per_tick)) return UINT64_MAX;
  return static_cast<uint64_t>(ns / ns_per_tick + 0.5);
}

TL_EXPORT int tl_thread_allocations(tl_allocations* out) {
  tl::record::ThreadCounts counts;
  if (out == nullptr || out->size < sizeof *out || !tl::record::count_so_far(counts)) return -1;
  out->count = counts.calls;
  out->bytes = counts.bytes;
  out->frees = counts.frees;
  out->failed = counts.failed;
  return 0;
}

TL_EXPORT int tl_recording(void) { return tl::record::is_recording(); }
TL_EXPORT void tl_pause(void) { tl::record::pause(); }
TL_EXPORT void tl_resume(void) { tl::record::resume(); }
TL_EXPORT int tl_flush(void) { return tl::drain::flush() ? 0 : -1; }

TL_EXPORT const char* tl_version(void) { return TL_VERSION; }
TL_EXPORT uint32_t tl_abi_version(void) { return 1; }

}  // extern "C"
