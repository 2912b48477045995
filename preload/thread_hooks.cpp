// Threads: created ones are numbered, met first of all on their own side, and known by the names they are given.

#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/attributes.h"
#include "drain/lifecycle.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "real.h"
#include "record/process.h"
#include "record/thread_life.h"

using tl::preload::real;
namespace record = tl::record;

namespace {

bool is_recording() {
  return record::process.phase.load(std::memory_order_acquire) == record::Phase::running;  // pairs with the start
}

// A fork child that makes a thread needs its numbers before the thread comes to record.
bool is_to_be_recorded() {
  return is_recording() || (record::process.phase.load(std::memory_order_relaxed) == record::Phase::forked &&
                            record::process.start_fork_child());
}

void* run_prepared(void* slot_address) {
  auto& slot = *static_cast<tl::shm::ThreadSlot*>(slot_address);
  const auto routine = reinterpret_cast<void* (*)(void*)>(slot.start_routine);
  void* const argument = reinterpret_cast<void*>(slot.start_argument);
  record::enter_prepared(slot);
  return routine(argument);
}

// glibc's thread clock id holds the kernel's thread id (inverted, above 3 bits of flags); there is no call for it
// in 2.36.
std::uint32_t tid_of(pthread_t thread) {
  clockid_t clock;
  if (pthread_getcpuclockid(thread, &clock) != 0) return 0;
  return static_cast<std::uint32_t>(~(clock >> 3));
}

void note_name(std::uint32_t tid, const char* name) {
  if (!is_recording()) return;
  record::ThreadState& self = record::tls;
  tl::shm::ThreadSlot* slot =
      self.slot != nullptr && self.life != record::Life::dying && self.slot->tid.load(std::memory_order_relaxed) == tid
          ? self.slot
          : record::find_slot(tid);
  if (slot != nullptr) record::set_name(*slot, name);
}

}  // namespace

extern "C" {

TL_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                             void* argument) {
  tl::shm::ThreadSlot* slot = is_to_be_recorded() ? record::prepare_thread() : nullptr;
  if (slot == nullptr) return real.pthread_create(thread, attributes, routine, argument);
  slot->start_routine = reinterpret_cast<std::uint64_t>(routine);
  slot->start_argument = reinterpret_cast<std::uint64_t>(argument);
  const int error = real.pthread_create(thread, attributes, run_prepared, slot);
  if (error != 0) record::cancel_thread(*slot);
  return error;
}

TL_EXPORT int pthread_setname_np(pthread_t thread, const char* name) {
  const int error = real.pthread_setname_np(thread, name);
  if (error == 0) note_name(tid_of(thread), name);
  return error;
}

TL_EXPORT int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  const unsigned long a = va_arg(list, unsigned long), b = va_arg(list, unsigned long), c = va_arg(list, unsigned long),
                      d = va_arg(list, unsigned long);
  va_end(list);
  if (option == PR_SET_SECCOMP) tl::drain::seal(a == SECCOMP_MODE_STRICT);
  const long result = tl::os::call(SYS_prctl, option, a, b, c, d);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  if (option == PR_SET_NAME) note_name(tl::os::thread_id(), reinterpret_cast<const char*>(a));
  return static_cast<int>(result);
}

}  // extern "C"
