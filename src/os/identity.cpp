#include "os/identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/text.h"
#include "os/file.h"
#include "os/syscall.h"

namespace tl::os {

std::uint32_t pid() { return static_cast<std::uint32_t>(call(SYS_getpid)); }
std::uint32_t thread_id() { return static_cast<std::uint32_t>(call(SYS_gettid)); }
std::uint32_t user_id() { return static_cast<std::uint32_t>(call(SYS_geteuid)); }

std::uint64_t pid_namespace() {
  struct stat status {};
  return call(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &status, 0) == 0 ? status.st_ino : 0;
}

bool boot_id(unsigned char (&id)[16]) {
  char text[64];
  const long n = read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
  unsigned digits = 0;
  for (long i = 0; i < n && digits < 32; ++i) {
    const char c = text[i];
    if (c == '-') continue;
    const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value < 0) break;
    id[digits / 2] = static_cast<unsigned char>(digits % 2 == 0 ? value << 4 : id[digits / 2] | value);
    ++digits;
  }
  return digits == 32;
}

void host_name(char* buffer, std::size_t capacity) {
  utsname names{};
  TextBuilder text(buffer, capacity);
  if (call(SYS_uname, &names) == 0) text.add(names.nodename);
}

std::uint64_t process_start(std::uint32_t pid, bool& ended) {
  ended = true;
  char path[32], stat[1024];
  TextBuilder name(path, sizeof path);
  if (pid == 0)
    name.add("/proc/self/stat");
  else
    name.add("/proc/").number(pid).add("/stat");
  const long n = read_file(path, stat, sizeof stat);
  if (n <= 0) return 0;
  std::string_view rest(stat, static_cast<std::size_t>(n));
  const std::size_t name_end = rest.rfind(')');  // the name itself may hold spaces and brackets
  if (name_end == std::string_view::npos || name_end + 2 >= rest.size()) return 0;
  rest.remove_prefix(name_end + 2);
  ended = rest[0] == 'Z' || rest[0] == 'X';
  for (int field = 3; field < 22; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return 0;
    rest.remove_prefix(space + 1);
  }
  std::uint64_t start = 0;
  return parse_decimal(rest, start) ? start : 0;
}

std::uint64_t process_start(std::uint32_t pid) {
  bool ended;
  return process_start(pid, ended);
}

std::uint64_t realtime_ns() {
  timespec now{};
  call(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tl::os
