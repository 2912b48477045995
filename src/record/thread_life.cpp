#include "record/thread_life.h"

#include <pthread.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstring>

#include "clock/tsc.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "record/allocations.h"
#include "record/early_calls.h"
#include "record/free_list.h"
#include "record/hot.h"
#include "record/pins.h"
#include "record/process.h"

namespace tl::record {

using shm::SlotState;
using shm::ThreadSlot;

alignas(shm::RingChunk) constinit std::uint32_t no_ring[2] = {~0u, ~0u};

__thread ThreadState tls = {kCursorFull,
                            reinterpret_cast<shm::RingChunk*>(no_ring),
                            nullptr,
                            nullptr,
                            nullptr,
                            nullptr,
                            0,
                            0,
                            0,
                            Life::unborn,
                            0};

namespace {

constinit FreeList<kMaxSlots> free_slots{};
pthread_key_t thread_key;
bool thread_key_made = false;

// Finds or makes the chunk that slot `index` lies in.
bool ensure_slot_chunk(std::uint32_t index) {
  std::uint32_t& place = process.control->slot_chunks[index / kSlotsPerChunk];
  if (__atomic_load_n(&place, __ATOMIC_ACQUIRE) != 0) return true;
  const std::uint32_t made = take_chunk();
  if (made == 0) return false;
  std::uint32_t expected = 0;
  if (!__atomic_compare_exchange_n(&place, &expected, made, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
    return_chunk(made);
  return true;
}

bool take_slot(std::uint32_t& index) {
  if (free_slots.pop(index)) return true;
  std::atomic<std::uint32_t>& used = process.control->slots_used;
  index = used.load(std::memory_order_relaxed);
  do {
    if (index >= kMaxSlots || !ensure_slot_chunk(index)) return false;
  } while (!used.compare_exchange_weak(index, index + 1, std::memory_order_release, std::memory_order_relaxed));
  return true;
}

// The caller has set `life` to aside, so that nothing in here is met by a hook again.
void adopt(ThreadSlot& slot) {
  ThreadState& thread = tls;
  slot.tid.store(os::thread_id(), std::memory_order_relaxed);
  slot.start_ticks = clock::ticks();
  thread.slot = &slot;
  thread.end_rounds = 0;
  slot.version.store(1, std::memory_order_relaxed);
  slot.state.store(static_cast<std::uint32_t>(SlotState::live), std::memory_order_seq_cst);  // pairs with the drain
  // Only now, so that a name which another thread sets is seen here or finds this slot.
  os::call(SYS_prctl, PR_GET_NAME, slot.name);
  if (thread_key_made) pthread_setspecific(thread_key, &tls);
  go_live(thread);
}

void close_thread() {
  ThreadState& thread = tls;
  if (thread.life == Life::unborn || thread.life == Life::dying) return;
  stand_aside(thread);
  thread.life = Life::dying;
  if (is_real(thread.ring)) thread.slot->discard_before_ticks = shm::discard_before(*process.control, *thread.ring);
  thread.ring = reinterpret_cast<shm::RingChunk*>(no_ring);
  thread.cursor = kCursorFull;
  thread.pulses = nullptr;
  ThreadSlot& slot = *thread.slot;
  const bool sealed = process.sealed.load(std::memory_order_relaxed);
  if (!sealed) os::call(SYS_prctl, PR_GET_NAME, slot.name);
  slot.end_ticks.store(clock::ticks(), std::memory_order_relaxed);
  slot.state.store(static_cast<std::uint32_t>(SlotState::closing), std::memory_order_release);  // pairs with the drain
  // Without a drain closed slots wait for the process's end; so that they do not pile up, many of them call for one.
  // And where threads end faster than it can follow, each gives it a little time: memory follows the number alive.
  if (process.slots_closing.fetch_add(1, std::memory_order_relaxed) < 64 || process.start_drain == nullptr) return;
  if (sealed) return;
  process.start_drain();
  process.wake_drain();
  for (int i = 0; i < 20 && process.slots_closing.load(std::memory_order_relaxed) > 256; ++i) {
    timespec pause{0, 500'000};
    os::call(SYS_nanosleep, &pause, 0);
  }
}

// glibc runs key destructors for up to PTHREAD_DESTRUCTOR_ITERATIONS rounds while any key is set: this one stays to the
// last, so that what other destructors record or free still belongs to the thread.
void on_key_destructor(void* key_value) {
  if (++tls.end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
    pthread_setspecific(thread_key, key_value);
  else
    close_thread();
}

bool take_ring() {
  ThreadState& thread = tls;
  if (thread.slot == nullptr || thread.life == Life::dying) return false;
  if (thread.slot->ring_chunk.load(std::memory_order_relaxed) != 0) return true;
  const std::uint32_t number = take_chunk();
  if (number == 0) return false;
  shm::RingChunk* ring = view().ring(number);
  ring->prepare();
  ring->gate_version = 2 * gate.pauses.load(std::memory_order_relaxed);
  ring->knows_of_pause = gate.pauses.load(std::memory_order_relaxed) != 0 &&
                         thread.slot->start_ticks < gate.discard_before_ticks.load(std::memory_order_relaxed);
  ring->first.capacity = segment_records(shm::kFirstSegmentRecords);
  thread.slot->ring_chunk.store(number, std::memory_order_release);  // pairs with the collector
  use_segment(thread, ring->first);
  compiler_fence();
  thread.ring = ring;
  process.recorded.store(true, std::memory_order_relaxed);
  if (process.start_drain != nullptr && !process.sealed.load(std::memory_order_relaxed)) process.start_drain();
  return true;
}

}  // namespace

bool create_rest_slot() {
  std::uint32_t index;
  if (!take_slot(index)) return false;
  ThreadSlot& slot = *view().slot(index);
  slot.serial = dump::kNoThread - 1;
  slot.flags = dump::kThreadOrphan;
  slot.start_ticks = clock::ticks();
  slot.state.store(static_cast<std::uint32_t>(SlotState::live), std::memory_order_release);
  return true;
}

ThreadSlot& rest_slot() { return *view().slot(0); }

void forget_slots() { free_slots.clear(); }

void create_thread_key() { thread_key_made = pthread_key_create(&thread_key, on_key_destructor) == 0; }

ThreadSlot* prepare_thread() {
  const std::uint32_t serial = process.control->next_serial.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t index;
  if (process.sealed.load(std::memory_order_relaxed) || !take_slot(index)) return nullptr;
  ThreadSlot* slot = view().slot(index);
  slot->serial = serial;
  os::call(SYS_prctl, PR_GET_NAME, slot->name);  // which the thread will inherit
  return slot;
}

void cancel_thread(ThreadSlot& slot) {
  slot.serial = 0;
  for (std::uint32_t i = 1; i < process.control->slots_used.load(std::memory_order_relaxed); ++i)
    if (view().slot(i) == &slot) return free_slots.push(i);
}

void enter_prepared(ThreadSlot& slot) {
  char inherited[kThreadNameBytes];
  std::memcpy(inherited, slot.name, sizeof inherited);
  stand_aside(tls);
  adopt(slot);
  // Its creator may have named it before it ran.
  apply_pin_at_birth(slot, std::strncmp(inherited, slot.name, sizeof inherited) != 0);
  // Once the process has recorded, a thread gets its ring here, so that its first scope costs what all others do; but
  // where thousands live, of which perhaps few record, only those that do.
  if (process.recorded.load(std::memory_order_relaxed) &&
      process.control->slots_used.load(std::memory_order_relaxed) <= kMaxRingsAhead)
    acquire_ring(tls);
}

bool enter_unprepared() {
  ThreadState& thread = tls;
  if (thread.life != Life::unborn || process.sealed.load(std::memory_order_relaxed)) return false;
  stand_aside(thread);
  compiler_fence();
  // The first of the process, or the one that a fork left: in a fork child others may come here earlier.
  const bool is_main = os::thread_id() == os::pid();
  const std::uint32_t serial = is_main ? 0 : process.control->next_serial.fetch_add(1, std::memory_order_relaxed);
  std::uint32_t index;
  if (!take_slot(index)) {
    thread.life = Life::unborn;
    return false;
  }
  ThreadSlot& slot = *view().slot(index);
  slot.serial = serial;
  slot.flags = is_main ? dump::kThreadMain : dump::kThreadForeign;
  adopt(slot);
  if (is_main) {
    if ((config.alloc_mode & kAllocCount) != 0) add_early_calls(slot);
    apply_pin_at_birth(slot, true);
  }
  return true;
}

std::uint32_t segment_records(std::uint32_t most) {
  const std::uint32_t half = config.ring_records / 2;
  return half < most ? half : most;
}

void use_segment(ThreadState& thread, shm::Segment& segment) {
  thread.cursor = kCursorFull;
  compiler_fence();
  thread.segment = &segment;
  compiler_fence();
  thread.cursor = cursor_at(segment.records(), segment.capacity);
}

bool acquire_ring(ThreadState& thread) {
  ++thread.busy;
  compiler_fence();
  const bool done = (thread.life != Life::unborn || enter_unprepared()) && take_ring();
  compiler_fence();
  --thread.busy;
  return done;
}

void set_name(ThreadSlot& slot, const char* name) {
  std::strncpy(slot.name, name, sizeof slot.name - 1);
  slot.version.fetch_add(1, std::memory_order_release);  // pairs with the drain
  apply_pin_at_naming(slot);
}

ThreadSlot* find_slot(std::uint32_t tid) {
  const std::uint32_t used = process.control->slots_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 1; i < used; ++i) {
    ThreadSlot* slot = view().slot(i);
    if (slot != nullptr && slot->tid.load(std::memory_order_relaxed) == tid &&
        slot->state.load(std::memory_order_acquire) == static_cast<std::uint32_t>(SlotState::live))
      return slot;
  }
  return nullptr;
}

void free_slot(std::uint32_t index) {
  ThreadSlot& slot = *view().slot(index);
  slot.state.store(static_cast<std::uint32_t>(SlotState::drained), std::memory_order_release);
  const std::uint32_t ring = slot.ring_chunk.load(std::memory_order_relaxed);
  if (ring != 0) {
    const std::uint32_t last = slot.consumer_segment;
    if (last != 0 && last != ring) return_chunk(last), process.pool_in_use.fetch_sub(1, std::memory_order_relaxed);
    for (const std::uint32_t pulses : view().ring(ring)->pulse_chunks)
      if (pulses != 0) return_chunk(pulses);
    if (view().ring(ring)->allocations_chunk != 0) return_chunk(view().ring(ring)->allocations_chunk);
    return_chunk(ring);
  }
  for (std::uint32_t i = 0; i < slot.latency_chunk_count && i < shm::kMaxLatencyChunks; ++i)
    return_chunk(slot.latency_chunks[i]);
  std::memset(static_cast<void*>(&slot), 0, sizeof slot);  // state: free
  process.slots_closing.fetch_sub(1, std::memory_order_relaxed);
  free_slots.push(index);
}

}  // namespace tl::record
