// The C ABI for targets that also run without the library: not linked, only called where it was preloaded.
#pragma once

#include <stddef.h>
#include <telemetry/telemetry.h>

#pragma weak tl_scope_register
#pragma weak tl_scope_begin
#pragma weak tl_scope_end

static inline int have_library(void) { return tl_scope_register != NULL; }

static inline tl_scope_id scope_named(const char* name) { return have_library() ? tl_scope_register(name) : 0; }

static inline void scope_begin(tl_scope_id id) {
  if (have_library()) tl_scope_begin(id);
}

static inline void scope_end(tl_scope_id id) {
  if (have_library()) tl_scope_end(id);
}
