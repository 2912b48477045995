// TL_PIN: which thread runs on which CPUs. Rules are parsed once, at start; the first that matches a thread counts.
#pragma once

#include <string_view>

#include "shm/layout.h"

namespace tl::record {

// Once, at start; `text` has been checked (base/setting_values.h).
void set_pins(std::string_view text);

// On the thread itself, as its first act. A name that it inherited matches `*` only; main's own name (the program's)
// matches as any does.
void apply_pin_at_birth(shm::ThreadSlot& slot, bool name_is_own);
// When a name is set, by whichever thread.
void apply_pin_at_naming(shm::ThreadSlot& slot);

}  // namespace tl::record
