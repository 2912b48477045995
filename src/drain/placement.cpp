#include "drain/placement.h"

#include <linux/close_range.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdint>

#include "os/file.h"
#include "os/syscall.h"
#include "record/pins.h"

namespace tl::drain {

namespace {

constexpr std::uint64_t kSliceNs = 100'000;  // the shortest that the kernel gives: it runs often and a little
constexpr int kNice = -10;                   // root and CAP_SYS_NICE; else 0, if the program is nicer than that

struct Placement {
  CpuSet cpus;  // as at the process's start
  long cpus_bytes;
  bool placed;  // the thread that is the drain now
  std::uint32_t pins_seen;
};
constinit Placement placement{};

// As sched_setattr(2) takes it; libc has none in 2.36.
struct SchedulingAttributes {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

}  // namespace

void remember_cpus() {
  placement.cpus_bytes = os::call(SYS_sched_getaffinity, 0, sizeof placement.cpus, &placement.cpus);
}

void own_descriptors() {
  if (os::call(SYS_close_range, 0, ~0u, CLOSE_RANGE_UNSHARE) == 0) return;
  if (os::call(SYS_unshare, CLONE_FILES) != 0) return;
  rlimit limit{};
  os::call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit);
  for (rlim_t fd = 0; fd < limit.rlim_cur && fd < 65536; ++fd) os::close(static_cast<int>(fd));
}

void own_scheduling() {
  placement.placed = false;
  SchedulingAttributes wanted{};
  wanted.size = sizeof wanted;
  wanted.policy = SCHED_OTHER;
  wanted.runtime = kSliceNs;
  for (const int nice : {kNice, 0}) {
    wanted.nice = nice;
    if (os::call(SYS_sched_setattr, 0, &wanted, 0) == 0) return;
  }
  // Raising it to 0 again is not permitted either: the policy alone.
  wanted.nice = static_cast<std::int32_t>(20 - os::call(SYS_getpriority, PRIO_PROCESS, 0));
  if (os::call(SYS_sched_setattr, 0, &wanted, 0) == 0) return;
  const sched_param usual{};
  os::call(SYS_sched_setscheduler, 0, SCHED_OTHER, &usual);
}

void keep_off_pinned_cpus() {
  const std::uint32_t pins = record::pins_applied();
  if ((placement.placed && pins == placement.pins_seen) || placement.cpus_bytes <= 0) return;
  placement.placed = true;
  placement.pins_seen = pins;
  CpuSet free = placement.cpus;
  bool any = false;
  for (std::uint32_t i = 0; i < kMaxCpus / 64; ++i) any |= (free.words[i] &= ~record::pinned_cpus().words[i]) != 0;
  os::call(SYS_sched_setaffinity, 0, placement.cpus_bytes, any ? &free : &placement.cpus);
}

}  // namespace tl::drain
