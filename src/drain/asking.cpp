// What other threads ask of the drain: that it wakes, ends the dump, flushes, stops.

#include "clock/tsc.h"
#include "drain/drain.h"
#include "drain/state.h"
#include "os/futex.h"
#include "os/service_thread.h"

namespace tl::drain {

namespace {
constexpr std::uint32_t kReadyChunksBusy = 256;  // 16 MiB once threads ask for segments
constexpr std::uint64_t kPatienceToFlushNs = 1'000'000'000;
constexpr std::uint64_t kPatienceToStopNs = 5'000'000'000;
}  // namespace

void call_drain() {
  drain.wakes.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(drain.wakes);
}

void wake_drain() {
  const std::uint32_t wanted = drain.chunks_wanted.load(std::memory_order_relaxed);
  if (wanted < kReadyChunksBusy) drain.chunks_wanted.store(wanted * 2, std::memory_order_relaxed);
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
  call_drain();
  const std::uint64_t give_up_ns = clock::raw_ns() + patience_ns;
  std::uint32_t answer;
  while ((answer = drain.answer.load(std::memory_order_acquire)) == waiting) {
    const std::uint64_t now_ns = clock::raw_ns();
    if (now_ns >= give_up_ns) return false;
    os::futex_wait(drain.answer, waiting, give_up_ns - now_ns);
  }
  return answer == ended;
}

std::uint32_t ask_for_flush() {
  const std::uint32_t wanted = drain.flushes_wanted.fetch_add(1, std::memory_order_release) + 1;
  call_drain();
  return wanted;
}

Flushed is_flushed(std::uint32_t asked) {
  const auto has_reached = [asked](std::uint32_t count) { return static_cast<std::int32_t>(count - asked) >= 0; };
  if (!has_reached(drain.flushes_done.load(std::memory_order_acquire))) return Flushed::not_yet;
  return has_reached(drain.flushes_refused.load(std::memory_order_relaxed)) ? Flushed::refused : Flushed::done;
}

bool flush_by_drain() {
  const std::uint32_t wanted = ask_for_flush();
  const std::uint64_t give_up_ns = clock::raw_ns() + kPatienceToFlushNs;
  for (;;) {
    const std::uint32_t done = drain.flushes_done.load(std::memory_order_acquire);
    if (const Flushed flushed = is_flushed(wanted); flushed != Flushed::not_yet) return flushed == Flushed::done;
    const std::uint64_t now_ns = clock::raw_ns();
    if (now_ns >= give_up_ns || !drain_is_alive()) return false;
    os::futex_wait(drain.flushes_done, done, give_up_ns - now_ns);
  }
}

bool stop_drain() {
  const int tid = drain.tid;
  void* const memory = drain.memory;
  std::uint32_t before = go_on;
  if (!drain.request.compare_exchange_strong(before, stop, std::memory_order_acq_rel)) return false;
  call_drain();
  const bool gone = os::join_service_thread(tid, memory, kPatienceToStopNs);
  std::uint32_t asked = stop;  // another thread may have asked for the end meanwhile
  drain.request.compare_exchange_strong(asked, go_on, std::memory_order_acq_rel);
  return gone;
}

void resume_drain() {
  drain.request.store(go_on, std::memory_order_release);
  call_drain();
}

void forget_drain() {
  drain.state.store(none, std::memory_order_relaxed);
  drain.request.store(go_on, std::memory_order_relaxed);
  const std::uint32_t flushes = drain.flushes_wanted.load(std::memory_order_relaxed);
  drain.flushes_done.store(flushes, std::memory_order_relaxed);
  drain.flushes_refused.store(flushes, std::memory_order_relaxed);
  drain.asleep.store(0, std::memory_order_relaxed);
  drain.dump.forget();
}

}  // namespace tl::drain
