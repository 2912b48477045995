#include "drain/credentials.h"

#include <atomic>
#include <cstdint>

#include "drain/drain.h"
#include "drain/state.h"
#include "os/futex.h"
#include "os/syscall.h"

namespace tl::drain {

namespace {

constexpr std::uint64_t kPatienceNs = 1'000'000'000;

// Real, effective and saved ids, and the groups: as many as are kept; more of them are cut, which only takes rights
// away.
struct Credentials {
  std::uint32_t users[3], groups[3];
  std::uint32_t more_groups[256];
  long more_count;
};
constinit Credentials credentials{};
constinit std::atomic<std::uint32_t> wanted_count{0}, taken_count{0};  // the second is a futex

}  // namespace

// Groups first: without the user's rights they could not be changed any more.
void take_on_credentials() {
  const std::uint32_t wanted = wanted_count.load(std::memory_order_acquire);  // pairs with who asks
  if (wanted == taken_count.load(std::memory_order_relaxed)) return;
  const Credentials& c = credentials;
  if (c.more_count >= 0) os::call(SYS_setgroups, c.more_count, c.more_groups);
  os::call(SYS_setresgid, c.groups[0], c.groups[1], c.groups[2]);
  os::call(SYS_setresuid, c.users[0], c.users[1], c.users[2]);
  taken_count.store(wanted, std::memory_order_release);
  os::futex_wake(taken_count);
}

void take_credentials_over() {
  Credentials& c = credentials;
  os::call(SYS_getresuid, &c.users[0], &c.users[1], &c.users[2]);
  os::call(SYS_getresgid, &c.groups[0], &c.groups[1], &c.groups[2]);
  c.more_count = os::call(SYS_getgroups, 256, c.more_groups);
  if (c.more_count < 0) c.more_count = 0;
  const std::uint32_t wanted = wanted_count.fetch_add(1, std::memory_order_release) + 1;
  call_drain();
  for (int i = 0; i < 10; ++i) {
    const std::uint32_t taken = taken_count.load(std::memory_order_acquire);
    if (taken == wanted) return;
    os::futex_wait(taken_count, taken, kPatienceNs / 10);
  }
}

}  // namespace tl::drain
