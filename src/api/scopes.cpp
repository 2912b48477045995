// The C ABI: plain calls into the hot path.

#include "base/attributes.h"
#include "record/hot.h"
#include "record/registry.h"

#define TL_LINKED
#include <telemetry/telemetry.h>

extern "C" {

TL_EXPORT tl_scope_id tl_scope_register(const char* name) { return tl::record::register_scope(name); }
TL_EXPORT void tl_scope_begin(tl_scope_id id) { tl::record::begin(id); }
TL_EXPORT void tl_scope_end(tl_scope_id id) { tl::record::end(id); }

TL_EXPORT const char* tl_version(void) { return TL_VERSION; }
TL_EXPORT uint32_t tl_abi_version(void) { return 1; }

}  // extern "C"
