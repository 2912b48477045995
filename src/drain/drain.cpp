#include "drain/drain.h"

#include "clock/tsc.h"
#include "drain/complaints.h"
#include "drain/credentials.h"
#include "drain/describe.h"
#include "drain/leftovers.h"
#include "drain/own_cost.h"
#include "drain/placement.h"
#include "drain/requests.h"
#include "drain/state.h"
#include "os/futex.h"
#include "os/identity.h"
#include "os/memory_limit.h"
#include "os/service_thread.h"
#include "os/signals.h"
#include "os/syscall.h"
#include "record/allocations.h"
#include "record/process.h"
#include "record/thread_life.h"
#include "shm/dump_writer.h"

namespace tl::drain {

using record::process;

constinit Drain drain{};

namespace {

// How long it sleeps between its rounds follows what came in the last one: threads are not to fill their first segment
// (some 1,500 records) meanwhile, since one that does has to wake it, which costs that thread 30 us.
constexpr std::uint64_t kShortestSleepNs = 500'000;
constexpr std::uint64_t kLongestSleepNs = 200'000'000;  // a wake takes 60 us where caches are cold: 0.03 % of a core
constexpr std::uint64_t kManyRecords = 65536;  // of one thread in a round, or a quarter of its ring: no sleep at all
constexpr std::uint64_t kRatherManyRecords = 512, kFewRecords = 128;

constexpr std::uint32_t kReadyChunks = 16;          // 1 MiB ahead of need at rest
constexpr std::uint64_t kAnchorNs = 1'000'000'000;  // between anchors; the first ones come after 10 and 100 ms, so that
constexpr std::uint64_t kFirstAnchorNs = 10'000'000;  // a dump that is cut early has its clock calibrated
constexpr std::uint64_t kRetryNs = 1'000'000'000;     // between attempts at a dump that cannot be made
constexpr std::uint64_t kLookAroundNs = 1'000'000'000;

void free_segment(std::uint32_t chunk) {
  record::return_chunk(chunk);
  process.pool_in_use.fetch_sub(1, std::memory_order_relaxed);
}

void keep_chunks_ready() {
  const std::uint32_t asked = drain.chunks_wanted.load(std::memory_order_relaxed);
  const std::uint32_t most = record::config.ring_pool_chunks / 4 + 1;  // as much as there is by default
  const std::uint32_t wanted = asked < most ? asked : most;
  while (process.chunks_ready.load(std::memory_order_relaxed) < wanted) {
    if (drain.request.load(std::memory_order_relaxed) == end) return;  // a child of one record waits for no more memory
    if (!record::make_chunk_ready()) return;
  }
}

constexpr shm::Owner kOwner = {free_segment, record::free_slot};

void ensure_own_cost(bool briefly) {
  if (process.control->cost_rows_measured.load(std::memory_order_relaxed) == 0) measure_own_cost(briefly);
}

bool write_end(dump::EndReason reason, bool on_the_drain) {
  ensure_own_cost(!on_the_drain);
  const shm::Anchor now = take_anchor();
  if (!drain.dump.put_end(reason, 0, &now, now.ticks)) return false;
  process.control->ended.store(static_cast<std::uint32_t>(reason), std::memory_order_release);
  // After an exec the program may go on, if it fails; else the next image of this process removes the file.
  if (reason != dump::EndReason::exec) record::remove_shared_file();
  return true;
}

// `wanted` was read before the rings were.
void say_flushed(std::uint32_t wanted) {
  if (wanted == drain.flushes_done.load(std::memory_order_relaxed)) return;
  if (drain.dump.drops_records()) drain.flushes_refused.store(wanted, std::memory_order_relaxed);
  drain.flushes_done.store(wanted, std::memory_order_release);  // pairs with flush_by_drain
  os::futex_wake(drain.flushes_done);
}

void answer(Answer what) {
  drain.answer.store(what, std::memory_order_release);  // pairs with end_by_drain
  os::futex_wake(drain.answer);
}

// What the drain does in turn, and when.
struct Rounds {
  std::uint64_t now_ns = 0, retry_ns = 0;
  std::uint64_t anchor_gap_ns = kFirstAnchorNs, next_anchor_ns = 0;
  std::uint64_t look_around_ns = 0, leftovers_ns = 0, limits_ns = 0;
  std::uint64_t sleep_ns = kShortestSleepNs;
  bool told_no_dump = false;

  void open_dump(bool at_once) {
    if (drain.dump.is_open() || (now_ns < retry_ns && !at_once)) return;
    if (!shm::has_records(record::view())) return;  // a drain that only waits for requests makes no dump
    drain.error = drain.dump.open(record::view());
    retry_ns = now_ns + kRetryNs;
    if (drain.error < 0 && !told_no_dump) warn_of_no_dump(drain.error);
    told_no_dump = told_no_dump || drain.error < 0;
  }

  // Returns how many records came from the thread of which most came.
  std::uint64_t carry() {
    const std::uint32_t flushes = drain.flushes_wanted.load(std::memory_order_acquire);  // pairs with flush_by_drain
    const bool asked = flushes != drain.flushes_done.load(std::memory_order_relaxed);
    if (!drain.dump.is_open() || !drain.dump.carry(kOwner, {now_ns, clock::ticks(), asked})) return 0;
    // With an anchor, so that who reads the file alone knows how long a tick is.
    if (!asked || drain.dump.put_anchor(take_anchor())) say_flushed(flushes);
    const std::uint64_t most = drain.dump.most_records();
    if (most != 0 && now_ns >= next_anchor_ns && drain.dump.put_anchor(take_anchor())) {
      anchor_gap_ns = anchor_gap_ns * 10 < kAnchorNs ? anchor_gap_ns * 10 : kAnchorNs;
      next_anchor_ns = now_ns + anchor_gap_ns;
    }
    return most;
  }

  void plan_sleep(std::uint64_t most_records, bool was_asked) {
    if (most_records >= kRatherManyRecords || was_asked)
      sleep_ns = kShortestSleepNs;
    else if (most_records < kFewRecords && sleep_ns * 2 <= kLongestSleepNs)
      sleep_ns *= 2;
    else if (most_records == 0)
      sleep_ns = kLongestSleepNs;
  }

  void look_for_leftovers() {
    if (now_ns < leftovers_ns) return;
    leftovers_ns = UINT64_MAX;
    write_what_the_dead_left();
  }

  // Another process may have set one (prlimit).
  void look_for_limits() {
    if (now_ns < limits_ns) return;
    limits_ns = now_ns + kLookAroundNs;
    if (os::memory_may_be_refused()) record::look_at_results();
  }

  // Whether every thread of the program has left by a raw SYS_exit, which no hook sees: so ends the process. Its status
  // is that of the thread that leaves last, so it must be the program's.
  bool is_left_alone(int& exit_status) {
    if (now_ns < look_around_ns) return false;
    look_around_ns = now_ns + kLookAroundNs;
    return os::only_the_caller_is_left(exit_status);
  }
};

int run(void*) {
  own_descriptors();
  own_scheduling();
  keep_off_pinned_cpus();
  record::respect_memory_limit(os::group_memory_limit_bytes());
  drain.chunks_wanted.store(kReadyChunks, std::memory_order_relaxed);
  keep_chunks_ready();
  Rounds rounds;
  rounds.next_anchor_ns = clock::raw_ns() + kFirstAnchorNs;
  rounds.leftovers_ns = clock::raw_ns() + kLookAroundNs;
  for (;;) {
    const std::uint32_t wakes = drain.wakes.load(std::memory_order_acquire);
    const std::uint32_t request = drain.request.load(std::memory_order_acquire);  // pairs with end_by_drain
    take_on_credentials();
    const bool was_asked = serve_requests();
    keep_off_pinned_cpus();
    rounds.now_ns = clock::raw_ns();
    rounds.open_dump(request == end);
    if (request == stop) {
      rounds.carry();
      drain.dump.close();
      drain.state.store(none, std::memory_order_release);
      return 0;
    }
    if (request == end) {
      if (drain.answer.load(std::memory_order_relaxed) == waiting)
        answer(drain.dump.is_open() && write_end(drain.reason, true) ? ended : unwritable);
      os::futex_wait(drain.wakes, wakes, kLongestSleepNs);
      continue;
    }
    const std::uint64_t most_records = rounds.carry();
    ensure_own_cost(false);
    rounds.look_for_leftovers();
    rounds.look_for_limits();
    keep_chunks_ready();
    const std::uint64_t quarter = record::config.ring_records / 4;
    if (most_records >= (quarter < kManyRecords ? quarter : kManyRecords)) continue;
    rounds.plan_sleep(most_records, was_asked);
    int exit_status;
    if (most_records == 0 && rounds.is_left_alone(exit_status)) {
      if (drain.dump.is_open()) write_end(dump::EndReason::exit, true);
      return exit_status;
    }
    drain.asleep.store(rounds.sleep_ns > kShortestSleepNs, std::memory_order_seq_cst);
    os::futex_wait(drain.wakes, wakes, rounds.sleep_ns);
    drain.asleep.store(0, std::memory_order_relaxed);
  }
}

}  // namespace

void ensure_drain() {
  std::uint32_t expected = none;
  if (!drain.state.compare_exchange_strong(expected, starting, std::memory_order_acq_rel)) return;
  const int tid = drain.tid = os::start_service_thread(run, nullptr, "telemetry", drain.memory);
  drain.state.store(tid > 0 ? alive : none, std::memory_order_release);  // none: the next thread's first record tries
  static constinit std::atomic<bool> told{false};                        // it is tried again, and may fail again
  if (tid < 0 && !told.exchange(true, std::memory_order_relaxed))
    record::warn("no_drain", "no thread for the drain: what is in the rings at the end is all there is");
}

bool end_inline(dump::EndReason reason) {
  const os::SignalsBlocked blocked;
  drain.error = drain.dump.open(record::view());
  const bool good = drain.error == 0 && write_end(reason, false);
  drain.dump.close();
  return good;
}

}  // namespace tl::drain
