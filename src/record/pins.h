// TL_PIN: which thread runs on which CPUs. Rules are parsed once, at start; the first that matches a thread counts.
#pragma once

#include <string_view>

#include "base/cpu_set.h"
#include "shm/layout.h"

namespace tl::record {

// Once, at start; `text` has been checked (base/setting_values.h).
void set_pins(std::string_view text);

// On the thread itself, as its first act. A name that it inherited matches `*` only; main's own name (the program's)
// matches as any does.
void apply_pin_at_birth(shm::ThreadSlot& slot, bool name_is_own);
// When a name is set, by whichever thread.
void apply_pin_at_naming(shm::ThreadSlot& slot);

// How often a pin has been applied, and the CPUs that any thread has been pinned to: they grow, and are read without
// order.
std::uint32_t pins_applied();
const CpuSet& pinned_cpus();

}  // namespace tl::record
