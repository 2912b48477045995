// The C ABI for targets that also run without the library: not linked, so the calls are null where it was not
// preloaded.
#pragma once

#include <stddef.h>
#include <telemetry/telemetry.h>

static inline tl_scope_id scope_named(const char* name) {
  return TL_IS_THERE(tl_scope_register) ? tl_scope_register(name) : 0;
}

static inline void scope_begin(tl_scope_id id) {
  if (TL_IS_THERE(tl_scope_begin)) tl_scope_begin(id);
}

static inline void scope_end(tl_scope_id id) {
  if (TL_IS_THERE(tl_scope_end)) tl_scope_end(id);
}
