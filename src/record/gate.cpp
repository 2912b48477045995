#include "record/gate.h"

#include "clock/tsc.h"
#include "os/identity.h"
#include "record/process.h"
#include "record/registry.h"

extern "C" {
// Part of the ABI: 0 while calls that record have no effect, which spares the program even the call (telemetry.h).
TL_EXPORT std::uint32_t tl_active = 1;
}

namespace tl::record {

constinit Gate gate{0, 1, 0, 0, 0, 0};

// Two at once, on two threads or one in a handler of the other: the last to write looks again at what it wrote by.
void update_gate() {
  for (;;) {
    const bool open = process.phase.load() == Phase::running && gate.paused.load() == 0 && clock::ticks_are_tsc;
    const std::uint32_t ids = open ? registered_scopes() : 0, version = 2 * gate.pauses.load() + !open;
    const bool same = gate.accepted_ids.exchange(ids) == ids;
    __atomic_store_n(&tl_active, gate.paused.load() == 0 && gate.switched_off.load() == 0, __ATOMIC_SEQ_CST);
    if (gate.version.exchange(version) == version && same) return;
  }
}

// In shared memory too, for who collects what a process that ends has open.
void share_pauses() {
  if (process.control == nullptr) return;
  process.control->discard_before_ticks.store(gate.discard_before_ticks.load(), std::memory_order_relaxed);
  process.control->pauses.store(gate.pauses.load(), std::memory_order_relaxed);
}

void pause() {
  if (gate.paused.exchange(1) != 0) return;
  gate.discard_before_ticks.store(UINT64_MAX);
  gate.pauses.fetch_add(1);
  share_pauses();
  update_gate();
  attend();
}

void resume() {
  if (gate.paused.load() == 0) return;
  gate.discard_before_ticks.store(clock::ticks());
  share_pauses();
  if (gate.paused.exchange(0) != 0) update_gate();
}

void attend() {
  if (process.phase.load(std::memory_order_acquire) != Phase::running || os::pid() != process.control->pid) return;
  process.control->attended.store(1);  // before the request is looked at, whose maker looks at this after
  if (process.start_drain != nullptr && !process.sealed.load(std::memory_order_relaxed)) process.start_drain();
}

void switch_off() {
  gate.switched_off.store(1);
  update_gate();
}

bool is_recording() {
  const Phase phase = process.phase.load(std::memory_order_acquire);
  return (phase == Phase::running || phase == Phase::forked) && gate.paused.load(std::memory_order_relaxed) == 0;
}

}  // namespace tl::record
