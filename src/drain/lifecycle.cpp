#include "drain/lifecycle.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "clock/anchor.h"
#include "clock/calibration.h"
#include "clock/tsc.h"
#include "drain/complaints.h"
#include "drain/describe.h"
#include "drain/drain.h"
#include "drain/environment.h"
#include "drain/placement.h"
#include "drain/requests.h"
#include "drain/selection.h"
#include "drain/state.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/memory_limit.h"
#include "record/allocations.h"
#include "record/early_calls.h"
#include "record/gate.h"
#include "record/hot.h"
#include "record/losses.h"
#include "record/process.h"
#include "record/registry.h"
#include "record/thread_life.h"

extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;
extern "C" int __cxa_at_quick_exit(void (*function)(void*), void* library) noexcept;

namespace tl::drain {

using record::Phase;
using record::process;

namespace {

constexpr std::uint64_t kPatienceNs = 5'000'000'000;

constinit Origin origin{};
constinit bool malloc_is_ours = false;
constinit char why_not_tsc[160] = "";  // told in every dump

// What is recorded and neither in a dump nor in memory that outlives the process.
void say_if_all_is_lost() {
  const shm::Control& control = *process.control;
  if (control.ended.load(std::memory_order_relaxed) != 0 || control.created.load(std::memory_order_relaxed) != 0)
    return;
  if (process.shared_path[0] != 0 && control.private_chunks.load(std::memory_order_relaxed) == 0) return;
  say_unwritable(control.output, drain.error);
}

void on_exit(void*) { finish(dump::EndReason::exit); }

// Memory, control page and first thread of this process's recording.
bool begin_recording() {
  if (!record::create_memory()) return false;
  describe_process(origin, *process.control);
  record::respect_memory_limit(os::address_space_limit_bytes());
  process.control->alloc_observable = malloc_is_ours;
  if (!malloc_is_ours)
    TextBuilder(process.control->alloc_why_not, sizeof process.control->alloc_why_not)
        .add("the program's malloc is not ours: the executable brings its own, or the library was loaded too late");
  if (process.shared_path[0] == 0)
    record::warn("private_memory", "no room in /dev/shm: what is not in the dump yet is lost if the process is killed");
  if (why_not_tsc[0] != 0) record::warn("clock", why_not_tsc);
  record::publish_names();
  record::share_pauses();
  process.phase.store(Phase::running, std::memory_order_release);  // pairs with hooks and cold paths
  record::update_gate();
  return record::enter_unprepared();
}

bool start_fork_child() {
  Phase expected = Phase::forked;
  if (!process.phase.compare_exchange_strong(expected, Phase::off, std::memory_order_acq_rel))
    return expected == Phase::running;
  process.starting.store(true, std::memory_order_relaxed);
  const bool done = begin_recording();
  process.starting.store(false, std::memory_order_release);
  if (done) record::count_lost_while_starting();
  if (done && record::is_paused()) record::attend();
  return done;
}

}  // namespace

// The child has its parent's memory mapped and its parent's open files; it touches neither. Its only thread is this
// one.
void on_fork_child() {
  const Phase phase = process.phase.load(std::memory_order_relaxed);
  if (phase == Phase::off) return;
  become_child(origin);
  record::ThreadState& thread = record::tls;
  // A signal handler that forks may have interrupted a hook or a record, which goes on in the child with what it holds
  // of the parent's state; such a child is not recorded.
  const bool interrupted = thread.busy != 0 || thread.in_cold != 0 ||
                           (thread.life == record::Life::aside && record::live != record::Life::aside);
  process.phase.store(Phase::off, std::memory_order_relaxed);
  record::update_gate();
  record::leave_memory();
  if (!interrupted) record::forget_memory();
  record::forget_early_calls();
  record::reset_registry_lock();
  forget_drain();
  forget_requests();
  if (!interrupted) {
    record::ThreadState fresh{};
    fresh.ring = reinterpret_cast<shm::RingChunk*>(record::no_ring);
    thread = fresh;
  }
  if (!origin.follow.children) record::switch_off();
  // Another thread of the parent may have been ending or in an exec; what was its end is none of the child's.
  const bool ends_itself =
      (phase == Phase::finishing || phase == Phase::finished) && process.ended_by.load() == &record::tls;
  process.ended_by.store(nullptr, std::memory_order_relaxed);
  const bool goes_on = !interrupted && origin.follow.children && !ends_itself;
  process.phase.store(goes_on ? Phase::forked : Phase::off, std::memory_order_relaxed);
}

bool is_own_process() { return process.control != nullptr && os::pid() == process.control->pid; }

void start(int argc, char** argv, char** variables, const void* malloc_hook) {
  if (process.phase.load(std::memory_order_relaxed) != Phase::off) return;
  if (getauxval(AT_SECURE) != 0) return record::switch_off();
  const Environment environment = read_environment(variables);
  if (environment.disabled) return record::switch_off();
  remember_program(argc, argv, origin);
  if (!is_selected(environment, origin.program)) return record::switch_off();
  const int saved_errno = errno;
  const char* const unfit = clock::choose_clock(!environment.os_clock);
  if (unfit != nullptr)
    TextBuilder(why_not_tsc, sizeof why_not_tsc).add(unfit).add(": stamps are of clock_gettime, and 1 tick is 1 ns");
  clock::calibrate_from(clock::take_anchor());
  remember_cpus();
  origin.follow = environment.follow;
  remember_origin(argc, argv, environment.output, origin);
  if (origin.output_pattern[0] != '/')
    return say_unwritable(environment.output, -ENOENT);  // the directory we are in is gone
  char resolved[sizeof process.control->output];
  resolve_output(origin, os::realtime_ns(), resolved, sizeof resolved);
  if (const int error = os::check_new_file(resolved); error < 0) say_unwritable(resolved, error);
  malloc_is_ours = malloc_hook != nullptr && dlsym(RTLD_DEFAULT, "malloc") == malloc_hook;
  record::live = (record::config.alloc_mode & kAllocTime) != 0    ? record::Life::timing
                 : (record::config.alloc_mode & kAllocCount) != 0 ? record::Life::counting
                                                                  : record::Life::aside;
  if (record::live != record::Life::counting) record::counts_ahead_mask = 0;
  if (os::memory_may_be_refused()) record::look_at_results();
  process.start_drain = ensure_drain;
  process.wake_drain = wake_drain;
  process.start_fork_child = start_fork_child;
  record::create_thread_key();
  // First of all: what is registered first in the child runs first, and what is registered first for the exit runs
  // last, after the program's own handlers and all destructors (without a library to belong to, ours is not taken with
  // it).
  pthread_atfork(nullptr, nullptr, on_fork_child);
  __cxa_atexit(on_exit, nullptr, nullptr);
  __cxa_at_quick_exit(on_exit, nullptr);
  begin_recording();
  errno = saved_errno;
}

// True: this thread is the one that ends the recording. Another that comes meanwhile, and would end the process under
// its hands, waits until that is done.
static bool begin_end() {
  for (Phase expected = Phase::running;
       !process.phase.compare_exchange_strong(expected, Phase::finishing, std::memory_order_acq_rel);
       expected = Phase::running) {
    if (expected != Phase::finishing || process.ended_by.load(std::memory_order_relaxed) == &record::tls) return false;
    record::wait_while(Phase::finishing, kPatienceNs);
    if (process.phase.load(std::memory_order_acquire) == Phase::finishing) return false;
  }
  process.ended_by.store(&record::tls, std::memory_order_relaxed);
  process.ends.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void seal(bool forbids_time_stamps) {
  process.sealed.store(true, std::memory_order_relaxed);
  if (record::look_at_results != nullptr) record::look_at_results();
  if (forbids_time_stamps) record::pause();
}

void finish(dump::EndReason reason) {
  if (process.sealed.load(std::memory_order_relaxed)) {
    if (process.control == nullptr) return;
    process.control->leaving_ticks = clock::ticks();
    process.control->leaving.store(static_cast<std::uint32_t>(reason), std::memory_order_relaxed);
    return;
  }
  if (!is_own_process() || !begin_end()) return;
  const int saved_errno = errno;
  record::update_gate();
  process.control->leaving_ticks = clock::ticks();
  process.control->leaving.store(static_cast<std::uint32_t>(reason), std::memory_order_relaxed);
  record::count_lost_while_starting();
  if (!shm::has_records(record::view())) {
    process.control->ended.store(static_cast<std::uint32_t>(reason), std::memory_order_release);
    if (reason != dump::EndReason::exec) record::remove_shared_file();
  } else if (drain_is_alive()) {
    // A thread that was interrupted in a record as the gate closed finishes it meanwhile.
    for (int i = 0; i < 10 && end_by_drain(reason, kPatienceNs) && shm::has_unwritten(record::view());) ++i;
  } else {
    end_inline(reason);
  }
  if (reason != dump::EndReason::exec) say_if_all_is_lost();
  process.phase.store(Phase::finished, std::memory_order_release);
  record::wake_who_waits_for_phase();
  errno = saved_errno;
}

bool flush() {
  if (!is_own_process()) return process.phase.load(std::memory_order_relaxed) == Phase::forked;
  if (!process.recorded.load(std::memory_order_relaxed)) return true;
  if (process.phase.load(std::memory_order_relaxed) == Phase::finished) return process.control->ended.load() != 0;
  if (process.sealed.load(std::memory_order_relaxed) || !drain_is_alive()) return false;
  return flush_by_drain();
}

bool step_aside() {
  if (process.sealed.load(std::memory_order_relaxed) || !is_own_process() || !drain_is_alive()) return false;
  return process.phase.load(std::memory_order_relaxed) == Phase::running && stop_drain();
}

void step_back() { ensure_drain(); }

void follow_credentials() {
  if (process.sealed.load(std::memory_order_relaxed)) return;
  if (!is_own_process() || !drain_is_alive()) return;
  const int saved_errno = errno;
  take_credentials_over();
  errno = saved_errno;
}

void resume() {
  if (process.sealed.load(std::memory_order_relaxed)) return;
  if (!is_own_process() || process.phase.load(std::memory_order_relaxed) != Phase::finished) return;
  process.control->ended.store(0, std::memory_order_relaxed);
  process.control->leaving.store(0, std::memory_order_relaxed);
  process.phase.store(Phase::running, std::memory_order_release);
  record::update_gate();
  record::wake_who_waits_for_phase();
  if (drain_is_alive()) resume_drain();
}

}  // namespace tl::drain
