#include "drain/drain.h"

#include <errno.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#include "clock/tsc.h"
#include "drain/dump_file.h"
#include "drain/own_cost.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/identity.h"
#include "os/service_thread.h"
#include "os/signals.h"
#include "os/syscall.h"
#include "record/process.h"
#include "record/thread_life.h"

namespace tl::drain {

using record::process;
using shm::SlotState;
using shm::ThreadSlot;

namespace {

constexpr std::uint64_t kPollNs = 500'000;      // while records come
constexpr std::uint64_t kIdleNs = 100'000'000;  // while none do: 0.03 % of a core
constexpr std::uint32_t kRoundsToIdle = 20;
constexpr std::uint32_t kReadyChunks = 16;          // 1 MiB ahead of need at rest,
constexpr std::uint32_t kReadyChunksBusy = 256;     // 16 MiB once threads ask for segments
constexpr std::uint64_t kAnchorNs = 1'000'000'000;  // between anchors; the first ones come after 10 and 100 ms, so that
constexpr std::uint64_t kFirstAnchorNs = 10'000'000;  // a dump that is cut early has its clock calibrated
constexpr std::uint64_t kPatienceToFlushNs = 1'000'000'000;

enum State : std::uint32_t { none, starting, alive };
enum Request : std::uint32_t { go_on, end };
enum Answer : std::uint32_t { waiting, ended, unwritable };

// Real, effective and saved ids, and the groups: as many as are kept; more of them are cut, which only takes rights
// away.
struct Credentials {
  std::uint32_t users[3], groups[3];
  std::uint32_t more_groups[256];
  long more_count;
};

struct Drain {
  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> wakes;   // futex of the drain's sleep
  std::atomic<std::uint32_t> asleep;  // 1: in its long sleep
  std::atomic<std::uint32_t> request;
  std::atomic<std::uint32_t> answer;                                 // futex of who waits for the end
  std::atomic<std::uint32_t> credentials_wanted, credentials_taken;  // counts; the second is a futex
  std::atomic<std::uint32_t> flushes_wanted, flushes_done;           // likewise
  Credentials credentials;
  dump::EndReason reason;
  std::uint32_t ready_wanted;
  std::uint64_t cpus[kMaxCpus / 64];  // as at the process's start
  long cpus_bytes;
  DumpFile file;
  shm::Collector collector;
};
constinit Drain drain{};

// A table of descriptors of our own: the program may close all of its and use the numbers again, and our copies of its
// pipes must not keep them open.
bool own_descriptors() {
  if (os::call(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0) return true;
  if (os::call(SYS_unshare, CLONE_FILES) != 0) return false;
  rlimit limit{};
  os::call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
  for (rlim_t fd = 0; fd < limit.rlim_cur && fd < 65536; ++fd) os::close(static_cast<int>(fd));
  return true;
}

void free_segment(std::uint32_t chunk) {
  record::return_chunk(chunk);
  process.pool_in_use.fetch_sub(1, std::memory_order_relaxed);
}

void keep_chunks_ready() {
  while (process.chunks_ready.load(std::memory_order_relaxed) < drain.ready_wanted)
    if (!record::make_chunk_ready()) return;
}

// One pass over all threads. False: the dump did not take it.
bool carry() {
  shm::Control& control = *process.control;
  shm::Collector& out = drain.collector;
  bool good = out.put_new_names() && out.put_new_warnings();
  const std::uint32_t slots = control.slots_used.load(std::memory_order_acquire);  // pairs with the slot's taker
  for (std::uint32_t i = 0; i < slots && good; ++i) {
    ThreadSlot* slot = record::view().slot(i);
    const auto state = static_cast<SlotState>(slot->state.load(std::memory_order_acquire));  // pairs with the thread
    if (state != SlotState::live && state != SlotState::closing) continue;
    const std::uint32_t version = slot->version.load(std::memory_order_acquire);
    if (version != slot->version_written || state == SlotState::closing) {
      good = out.put_thread(*slot);
      slot->version_written = version;
    }
    if (state == SlotState::live) {
      good = good && out.put_records(*slot, false);
      continue;
    }
    good = good && out.put_records(*slot, true) && out.flush() && out.put_totals(*slot) && out.flush();
    if (good) record::free_slot(i);
  }
  return good && out.put_cost() && out.flush();
}

void ensure_own_cost(bool briefly) {
  if (process.control->cost_rows_measured.load(std::memory_order_relaxed) == 0) measure_own_cost(briefly);
}

bool write_end(dump::EndReason reason, bool on_the_drain) {
  shm::Collector& out = drain.collector;
  ensure_own_cost(!on_the_drain);
  const shm::Anchor now = take_anchor();
  if (!out.put_anchor(now) || !out.put_everything() || !out.put_end(reason, 0, now.ticks)) return false;
  process.control->ended.store(static_cast<std::uint32_t>(reason), std::memory_order_release);
  // After an exec the program may go on, if it fails; else the next image of this process removes the file.
  if (reason != dump::EndReason::exec) record::remove_shared_file();
  return true;
}

// Groups first: without the user's rights they could not be changed any more.
void take_wanted_credentials() {
  const std::uint32_t wanted = drain.credentials_wanted.load(std::memory_order_acquire);  // pairs with who asks
  if (wanted == drain.credentials_taken.load(std::memory_order_relaxed)) return;
  const Credentials& c = drain.credentials;
  if (c.more_count >= 0) os::call(SYS_setgroups, c.more_count, c.more_groups);
  os::call(SYS_setresgid, c.groups[0], c.groups[1], c.groups[2]);
  os::call(SYS_setresuid, c.users[0], c.users[1], c.users[2]);
  drain.credentials_taken.store(wanted, std::memory_order_release);
  os::futex_wake(drain.credentials_taken);
}

// `wanted` was read before the rings were.
void say_flushed(std::uint32_t wanted) {
  if (wanted == drain.flushes_done.load(std::memory_order_relaxed)) return;
  drain.flushes_done.store(wanted, std::memory_order_release);  // pairs with flush_by_drain
  os::futex_wake(drain.flushes_done);
}

void answer(Answer what) {
  drain.answer.store(what, std::memory_order_release);  // pairs with end_by_drain
  os::futex_wake(drain.answer);
}

int run(void*) {
  own_descriptors();
  if (drain.cpus_bytes > 0) os::call(SYS_sched_setaffinity, 0, drain.cpus_bytes, drain.cpus);
  const sched_param usual{};  // whatever the thread is that called for it
  os::call(SYS_sched_setscheduler, 0, SCHED_OTHER, &usual);
  drain.collector.on_segment_free = free_segment;
  drain.ready_wanted = kReadyChunks;
  keep_chunks_ready();
  std::uint64_t anchor_gap_ns = kFirstAnchorNs, next_anchor_ns = clock::raw_ns() + anchor_gap_ns, retry_ns = 0;
  std::uint32_t idle_rounds = 0;
  for (;;) {
    const std::uint32_t wakes = drain.wakes.load(std::memory_order_acquire);
    const std::uint32_t request = drain.request.load(std::memory_order_acquire);  // pairs with end_by_drain
    take_wanted_credentials();
    const std::uint64_t now_ns = clock::raw_ns();
    if (!drain.file.is_open() && (now_ns >= retry_ns || request == end)) {
      drain.file.open(drain.collector);
      retry_ns = now_ns + kAnchorNs;
    }
    if (request == end) {
      if (drain.answer.load(std::memory_order_relaxed) == waiting)
        answer(drain.file.is_open() && write_end(drain.reason, true) ? ended : unwritable);
      os::futex_wait(drain.wakes, wakes, kIdleNs);
      continue;
    }
    const std::uint32_t flushes = drain.flushes_wanted.load(std::memory_order_acquire);  // pairs with flush_by_drain
    const std::uint64_t written = process.control->records_written;
    if (drain.file.is_open() && carry()) {
      // With an anchor, so that who reads the file alone knows how long a tick is.
      const bool asked = flushes != drain.flushes_done.load(std::memory_order_relaxed);
      if (!asked || (drain.collector.put_anchor(take_anchor()) && drain.collector.flush())) say_flushed(flushes);
    }
    const bool busy = process.control->records_written != written;
    ensure_own_cost(false);
    if (busy && now_ns >= next_anchor_ns && drain.collector.put_anchor(take_anchor()) && drain.collector.flush()) {
      anchor_gap_ns = anchor_gap_ns * 10 < kAnchorNs ? anchor_gap_ns * 10 : kAnchorNs;
      next_anchor_ns = now_ns + anchor_gap_ns;
    }
    keep_chunks_ready();
    idle_rounds = busy ? 0 : idle_rounds + 1;
    const bool long_sleep = idle_rounds > kRoundsToIdle;
    int exit_status;
    if (long_sleep && idle_rounds % 8 == 0 && os::only_the_caller_is_left(exit_status)) {
      // Every thread of the program has left by a raw SYS_exit, which no hook sees: so ends the process. Its status is
      // that of the thread that leaves last, so it must be the program's.
      if (drain.file.is_open()) write_end(dump::EndReason::exit, true);
      return exit_status;
    }
    drain.asleep.store(long_sleep, std::memory_order_seq_cst);
    os::futex_wait(drain.wakes, wakes, long_sleep ? kIdleNs : kPollNs);
    drain.asleep.store(0, std::memory_order_relaxed);
  }
}

}  // namespace

void ensure_drain() {
  std::uint32_t expected = none;
  if (!drain.state.compare_exchange_strong(expected, starting, std::memory_order_acq_rel)) return;
  const int tid = os::start_service_thread(run, nullptr, "telemetry");
  drain.state.store(tid > 0 ? alive : none, std::memory_order_release);  // none: the next thread's first record tries
  static constinit std::atomic<bool> told{false};                        // it is tried again, and may fail again
  if (tid < 0 && !told.exchange(true, std::memory_order_relaxed))
    record::warn("no_drain", "no thread for the drain: what is in the rings at the end is all there is");
}

void wake_drain() {
  if (drain.ready_wanted < kReadyChunksBusy) drain.ready_wanted *= 2;
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  if (drain.asleep.load(std::memory_order_seq_cst) != 0) os::futex_wake(drain.wakes);
}

bool drain_is_alive() {
  const std::uint32_t state = drain.state.load(std::memory_order_acquire);
  return state == alive || state == starting;
}

bool end_by_drain(dump::EndReason reason, std::uint64_t patience_ns) {
  drain.reason = reason;
  drain.answer.store(waiting, std::memory_order_relaxed);
  drain.request.store(end, std::memory_order_release);  // pairs with the drain's acquire
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(drain.wakes);
  const std::uint64_t give_up_ns = clock::raw_ns() + patience_ns;
  std::uint32_t answer;
  while ((answer = drain.answer.load(std::memory_order_acquire)) == waiting) {
    const std::uint64_t now_ns = clock::raw_ns();
    if (now_ns >= give_up_ns) return false;
    os::futex_wait(drain.answer, waiting, give_up_ns - now_ns);
  }
  return answer == ended;
}

bool end_inline(dump::EndReason reason) {
  const os::SignalsBlocked blocked;
  const bool good = drain.file.open(drain.collector) && write_end(reason, false);
  drain.file.close();
  return good;
}

void take_credentials_over() {
  Credentials& c = drain.credentials;
  os::call(SYS_getresuid, &c.users[0], &c.users[1], &c.users[2]);
  os::call(SYS_getresgid, &c.groups[0], &c.groups[1], &c.groups[2]);
  c.more_count = os::call(SYS_getgroups, 256, c.more_groups);
  if (c.more_count < 0) c.more_count = 0;
  const std::uint32_t wanted = drain.credentials_wanted.fetch_add(1, std::memory_order_release) + 1;
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(drain.wakes);
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t taken = drain.credentials_taken.load(std::memory_order_acquire);
    if (taken == wanted) return;
    os::futex_wait(drain.credentials_taken, taken, kIdleNs);
  }
}

bool flush_by_drain() {
  const std::uint32_t wanted = drain.flushes_wanted.fetch_add(1, std::memory_order_release) + 1;
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(drain.wakes);
  const std::uint64_t give_up_ns = clock::raw_ns() + kPatienceToFlushNs;
  for (;;) {
    const std::uint32_t done = drain.flushes_done.load(std::memory_order_acquire);
    if (static_cast<std::int32_t>(done - wanted) >= 0) return true;
    const std::uint64_t now_ns = clock::raw_ns();
    if (now_ns >= give_up_ns || !drain_is_alive()) return false;
    os::futex_wait(drain.flushes_done, done, give_up_ns - now_ns);
  }
}

void remember_cpus() { drain.cpus_bytes = os::call(SYS_sched_getaffinity, 0, sizeof drain.cpus, drain.cpus); }

void resume_drain() {
  drain.request.store(go_on, std::memory_order_release);
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(drain.wakes);
}

void forget_drain() {
  drain.state.store(none, std::memory_order_relaxed);
  drain.request.store(go_on, std::memory_order_relaxed);
  drain.flushes_done.store(drain.flushes_wanted.load(std::memory_order_relaxed), std::memory_order_relaxed);
  drain.asleep.store(0, std::memory_order_relaxed);
  drain.file.forget();
}

}  // namespace tl::drain
