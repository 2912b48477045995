#include "os/memory_limit.h"

#include <sys/resource.h>

#include <string_view>

#include "base/limits.h"
#include "base/text.h"
#include "os/file.h"
#include "os/syscall.h"

namespace tl::os {

namespace {

constexpr std::uint64_t kNone = UINT64_MAX;

std::uint64_t number_in(const char* path) {
  char buffer[32];
  const long bytes = read_file(path, buffer, sizeof buffer);
  std::uint64_t value;
  std::string_view text(buffer, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return parse_decimal(text, value) ? value : kNone;  // "max"
}

std::uint64_t soft_limit(int resource) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  call(SYS_prlimit64, 0, resource, 0, &limit);
  return limit.rlim_cur;
}

}  // namespace

// The process's group in the one hierarchy of version 2 and all above it, as far as they are to be seen.
std::uint64_t group_memory_limit_bytes() {
  char buffer[kMaxPathBytes], directory[kMaxPathBytes];
  const long bytes = read_file("/proc/self/cgroup", buffer, sizeof buffer - 1);
  buffer[bytes > 0 ? bytes : 0] = 0;
  const std::string_view text(buffer);
  std::uint64_t least = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");  // version 1, of a container
  const std::size_t at = text.find("0::/");
  if (at == std::string_view::npos) return least;
  std::string_view group = tail(text, at + 3);
  for (group = head(group, group.find('\n'));; group = head(group, group.rfind('/'))) {
    TextBuilder path(directory, sizeof directory);
    path.add("/sys/fs/cgroup").add(group).add("/memory.max");
    const std::uint64_t limit = number_in(directory);
    if (limit < least) least = limit;
    if (group.empty()) return least;
  }
}

std::uint64_t address_space_limit_bytes() { return soft_limit(RLIMIT_AS); }

bool memory_may_be_refused() {
  constexpr std::uint64_t kNoMoreThanThereIs = 2;
  return soft_limit(RLIMIT_AS) != RLIM_INFINITY || soft_limit(RLIMIT_DATA) != RLIM_INFINITY ||
         number_in("/proc/sys/vm/overcommit_memory") == kNoMoreThanThereIs;
}

}  // namespace tl::os
