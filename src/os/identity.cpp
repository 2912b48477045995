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

namespace {

struct Stat {
  char state;               // field 3 of /proc/PID/stat
  std::uint64_t parent;     // field 4
  std::uint64_t threads;    // field 20
  std::uint64_t start;      // field 22
  std::uint64_t exit_code;  // field 52, as wait tells it
};

bool read_stat(std::uint32_t pid, Stat& stat) {
  char path[32], text[1024];
  TextBuilder name(path, sizeof path);
  if (pid == 0)
    name.add("/proc/self/stat");
  else
    name.add("/proc/").number(pid).add("/stat");
  const long n = read_file(path, text, sizeof text);
  if (n <= 0) return false;
  std::string_view rest(text, static_cast<std::size_t>(n));
  const std::size_t name_end = rest.rfind(')');  // the name itself may hold spaces and brackets
  if (name_end == std::string_view::npos || name_end + 2 >= rest.size()) return false;
  rest.remove_prefix(name_end + 2);
  stat.state = rest[0];
  for (int field = 3; field < 52; ++field) {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return false;
    rest.remove_prefix(space + 1);
    std::string_view number = rest;
    if (field + 1 == 4 && !parse_decimal(number, stat.parent)) return false;
    if (field + 1 == 20 && !parse_decimal(number, stat.threads)) return false;
    if (field + 1 == 22 && !parse_decimal(number, stat.start)) return false;
  }
  return parse_decimal(rest, stat.exit_code);
}

}  // namespace

std::uint64_t process_start(std::uint32_t pid, bool& ended) {
  Stat stat{};
  const bool known = read_stat(pid, stat);
  ended = !known || stat.state == 'Z' || stat.state == 'X';
  // A process whose first thread has left and whose others run on is a zombie to look at, and alive.
  if (known && stat.state == 'Z' && stat.threads > 1) ended = false;
  return known ? stat.start : 0;
}

bool only_the_caller_is_left(int& exit_status) {
  Stat stat{};
  if (!read_stat(0, stat) || stat.state != 'Z' || stat.threads != 2) return false;
  exit_status = static_cast<int>(stat.exit_code >> 8 & 0xff);
  return true;
}

std::uint64_t process_start(std::uint32_t pid) {
  bool ended;
  return process_start(pid, ended);
}

std::uint32_t parent_of(std::uint32_t pid) {
  Stat stat{};
  return read_stat(pid, stat) ? static_cast<std::uint32_t>(stat.parent) : 0;
}

std::uint64_t realtime_ns() {
  timespec now{};
  call(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace tl::os
