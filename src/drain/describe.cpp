#include "drain/describe.h"

#include <fcntl.h>

#include <cstring>
#include <string_view>

#include "base/text.h"
#include "clock/anchor.h"
#include "clock/tsc.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "record/process.h"

namespace tl::drain {

namespace {

std::string_view read_link(const char* path, char* buffer, std::size_t capacity) {
  const long n = os::call(SYS_readlinkat, AT_FDCWD, path, buffer, capacity - 1);
  buffer[n > 0 ? n : 0] = 0;
  return buffer;
}

std::string_view basename_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : tail(path, slash + 1);
}

// YYYYMMDDTHHMMSS in UTC. Days to a date by the civil calendar in eras of 400 years (H. Hinnant, "chrono-compatible
// low-level date algorithms").
void add_utc(TextBuilder& out, std::uint64_t unix_seconds) {
  const std::uint64_t second = unix_seconds % 86400, days = unix_seconds / 86400 + 719468;
  const std::uint64_t era = days / 146097, day_of_era = days % 146097;
  const std::uint64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t shifted_month = (5 * day_of_year + 2) / 153;  // 0 is March
  const std::uint64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  out.number(year_of_era + era * 400 + (month <= 2 ? 1 : 0), 4).number(month, 2);
  out.number(day_of_year - (153 * shifted_month + 2) / 5 + 1, 2).add('T');
  out.number(second / 3600, 2).number(second / 60 % 60, 2).number(second % 60, 2);
}

// A file name is made of it: whatever is not plain becomes an underscore.
void add_plain(TextBuilder& out, std::string_view text) {
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                       c == '_' || c == '-' || c == '+';
    out.add(plain ? c : '_');
  }
}

}  // namespace

void remember_program(int argc, char** argv, Origin& origin) {
  char executable[kMaxPathBytes];
  std::string_view name = argc > 0 && argv[0] != nullptr ? basename_of(argv[0]) : std::string_view();
  if (name.empty()) name = basename_of(read_link("/proc/self/exe", executable, sizeof executable));
  TextBuilder(origin.program, sizeof origin.program).add(name);
}

void remember_origin(int argc, char** argv, const char* output_pattern, Origin& origin) {
  origin.pid = os::pid();
  origin.parent_pid = static_cast<std::uint32_t>(os::call(SYS_getppid));
  for (int i = 0; i < argc && argv[i] != nullptr; ++i) {
    const std::size_t size = std::strlen(argv[i]) + 1;
    if (size > sizeof origin.command - origin.command_bytes) {
      origin.command_cut = 1;
      break;
    }
    std::memcpy(origin.command + origin.command_bytes, argv[i], size);
    origin.command_bytes += static_cast<std::uint32_t>(size);
  }
  TextBuilder pattern(origin.output_pattern, sizeof origin.output_pattern);
  if (output_pattern[0] != '/') {
    char directory[kMaxPathBytes];
    if (os::call(SYS_getcwd, directory, sizeof directory) > 0 && directory[0] == '/') {
      // A % in the directory's own name is no %-word.
      for (const char* c = directory; *c != 0; ++c)
        pattern.add(*c == '%' ? std::string_view("%%") : std::string_view(c, 1));
      if (directory[1] != 0) pattern.add('/');
    }
  }
  pattern.add(output_pattern);
}

void become_child(Origin& origin) {
  origin.parent_pid = origin.pid;
  origin.pid = os::pid();
}

void resolve_output(const Origin& origin, std::uint64_t start_unix_ns, char* out, std::size_t capacity) {
  TextBuilder path(out, capacity);
  for (const char* c = origin.output_pattern; *c != 0; ++c) {
    if (*c != '%') {
      path.add(*c);
      continue;
    }
    switch (*++c) {
      case 'e':
        add_plain(path, origin.program);
        break;
      case 'p':
        path.number(os::pid());
        break;
      case 't':
        add_utc(path, start_unix_ns / 1000000000);
        break;
      case 'h': {
        char host[65];
        os::host_name(host, sizeof host);
        add_plain(path, host);
        break;
      }
      default:
        path.add('%');
    }
    if (*c == 0) return;
  }
}

shm::Anchor take_anchor() {
  const clock::AnchorSample sample = clock::take_anchor();
  return {sample.ticks, sample.raw_ns, sample.real_ns, sample.bracket_ticks, 0};
}

void describe_process(const Origin& origin, shm::Control& control) {
  const record::Config& config = record::config;
  control.layout_version = shm::kLayoutVersion;
  control.pid = os::pid();
  control.parent_pid = origin.parent_pid;
  control.uid = os::user_id();
  control.process_start = os::process_start(0);
  control.pid_namespace = os::pid_namespace();
  os::boot_id(control.boot_id);
  control.start_unix_ns = os::realtime_ns();
  control.start_anchor = take_anchor();
  control.clock_source =
      static_cast<std::uint32_t>(clock::ticks_are_tsc ? dump::ClockSource::tsc : dump::ClockSource::clock_gettime);
  control.alloc_mode = config.alloc_mode;
  control.ring_records = config.ring_records;
  control.ring_pool_chunks = config.ring_pool_chunks;
  control.size_limit_bytes = config.size_limit_bytes;
  control.rotate_files = config.size_limit_bytes != 0 ? config.rotate_files : 0;
  std::memcpy(control.program, origin.program, sizeof control.program);
  std::memcpy(control.command, origin.command, sizeof control.command);
  control.command_bytes = origin.command_bytes;
  control.command_cut = origin.command_cut;
  os::host_name(control.host, sizeof control.host);
  read_link("/proc/self/exe", control.executable, sizeof control.executable);
  control.leaves_children_out = !origin.follow.children;
  control.run_pid = origin.follow.run_pid;
  control.run_start = origin.follow.run_start;
  resolve_output(origin, control.start_unix_ns, control.output, sizeof control.output);
  __atomic_store_n(&control.magic, shm::kControlMagic, __ATOMIC_RELEASE);  // now a salvager may believe it
}

}  // namespace tl::drain
