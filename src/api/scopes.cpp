// The C ABI of records: plain calls into the hot path.

#include "base/attributes.h"
#include "record/hot.h"
#include "record/registry.h"

#define TL_IMPLEMENTATION
#include <telemetry/telemetry.h>

using namespace tl::record;
using tl::StampMode;

extern "C" {

TL_EXPORT tl_scope_id tl_scope_register(const char* name) { return register_scope(name); }

TL_EXPORT void tl_scope_begin(tl_scope_id id) { begin<StampMode::fast>(tls, id); }
TL_EXPORT void tl_scope_end(tl_scope_id id) { end<StampMode::fast>(tls, id); }
TL_EXPORT void tl_scope_begin_mid(tl_scope_id id) { begin<StampMode::mid>(tls, id); }
TL_EXPORT void tl_scope_end_mid(tl_scope_id id) { end<StampMode::mid>(tls, id); }
TL_EXPORT void tl_scope_begin_hard(tl_scope_id id) { begin<StampMode::hard>(tls, id); }
TL_EXPORT void tl_scope_end_hard(tl_scope_id id) { end<StampMode::hard>(tls, id); }

TL_EXPORT void tl_scope_next(tl_scope_id id) { next(tls, id); }
TL_EXPORT void tl_scope_begin_at(tl_scope_id id, uint64_t intended_ticks) {
  if (intended_ticks == 0) return begin<StampMode::fast>(tls, id);
  begin_at(tls, id, intended_ticks);
}

TL_EXPORT void tl_span(tl_scope_id id, uint64_t begin_ticks, uint64_t end_ticks) {
  span(tls, id, begin_ticks, end_ticks);
}
TL_EXPORT void tl_pulse(tl_scope_id id) { pulse(tls, id); }
TL_EXPORT void tl_value(tl_scope_id id, int64_t number) { value(tls, id, number); }
TL_EXPORT void tl_mark(const char* text) { mark(tls, text); }

}  // extern "C"
