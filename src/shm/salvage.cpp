#include "shm/salvage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "base/text.h"
#include "clock/anchor.h"
#include "clock/tsc.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "shm/dump_writer.h"
#include "shm/names.h"

namespace tl::shm {

namespace {

DumpWriter& writer() {
  static DumpWriter one;  // 80 KiB: not for a stack; salvaging is not done by two threads of a process at once
  return one;
}

// False: the process's clock cannot be read here.
bool use_clock_of(const Control& control) {
  const bool tsc = control.clock_source == static_cast<std::uint32_t>(dump::ClockSource::tsc);
  if (tsc == clock::ticks_are_tsc) return true;
  clock::choose_clock(tsc);
  return tsc == clock::ticks_are_tsc;
}

Anchor anchor_now() {
  const clock::AnchorSample sample = clock::take_anchor();
  return {sample.ticks, sample.raw_ns, sample.real_ns, sample.bracket_ticks, 0};
}

// What the end block says, if there may be one. A process that could not write its dump, or was killed while it did,
// had left by itself. Where a part of the memory was private nobody knows what is missing, so the dump stays open.
struct Ending {
  dump::EndReason reason;
  int signal_number;
  std::uint64_t ticks;
};
Ending ending_of(const Control& control, dump::EndReason reason, int signal_number, std::uint64_t ticks) {
  if (control.private_chunks.load(std::memory_order_relaxed) != 0) return {dump::EndReason::none, 0, 0};
  const auto leaving = static_cast<dump::EndReason>(control.leaving.load(std::memory_order_relaxed));
  if (leaving != dump::EndReason::none) return {leaving, 0, control.leaving_ticks};
  return {reason, signal_number, ticks};
}

}  // namespace

bool Leftover::open(const char* name) {
  close();
  if (std::strncmp(name, kFilePrefix, sizeof kFilePrefix - 1) != 0) return false;
  char path[sizeof name_ + sizeof kDirectory + 1];
  TextBuilder text(path, sizeof path);
  text.add(kDirectory).add('/').add(name);
  TextBuilder(name_, sizeof name_).add(name);
  if (text.cut()) return false;
  fd_ = static_cast<int>(os::call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
  if (fd_ < 0) return false;
  struct stat status {};
  if (os::call(SYS_fstat, fd_, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != os::user_id() ||
      status.st_size < static_cast<off_t>(kChunkBytes)) {
    close();
    return false;
  }
  // Private: what a collector notes in it stays here, so a living process is never touched.
  const auto bytes = static_cast<std::uint64_t>(status.st_size) / kChunkBytes * kChunkBytes;
  const long mapped = os::call(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd_, 0);
  if (mapped < 0 && mapped > -4096) {
    close();
    return false;
  }
  base_ = reinterpret_cast<unsigned char*>(mapped);
  bytes_ = bytes;
  unsigned char boot[16] = {};
  const Control& c = control();
  if (c.magic == 0) remove_stillborn(status.st_mtime);
  if (c.magic != kControlMagic || c.layout_version != kLayoutVersion || !os::boot_id(boot) ||
      std::memcmp(boot, c.boot_id, sizeof boot) != 0) {
    close();
    return false;
  }
  return true;
}

// Whoever made it died before it held anything; to be sure, a while ago.
void Leftover::remove_stillborn(std::int64_t made_unix_seconds) {
  constexpr std::int64_t kAWhileSeconds = 2;
  const auto now = static_cast<std::int64_t>(os::realtime_ns() / 1'000'000'000u);
  if (now - made_unix_seconds > kAWhileSeconds) remove();
}

// What a collector noted in it is gone then.
void Leftover::map_again() {
  char name[sizeof name_];
  std::memcpy(name, name_, sizeof name);
  open(name);
}

void Leftover::close() {
  if (base_ != nullptr) os::call(SYS_munmap, base_, bytes_);
  if (fd_ >= 0) os::close(fd_);
  base_ = nullptr;
  bytes_ = 0;
  fd_ = -1;
}

bool Leftover::process_is_alive() const {
  const Control& c = control();
  return !has_gone({c.pid, c.process_start, c.pid_namespace, c.boot_id});
}

bool has_gone(const ProcessName& process) {
  unsigned char boot[16] = {};
  if (!os::boot_id(boot) || std::memcmp(boot, process.boot_id, sizeof boot) != 0) return false;  // another machine's?
  if (process.pid_namespace != os::pid_namespace()) return false;  // another container's: not ours to judge
  bool ended = true;
  const std::uint64_t start = os::process_start(process.pid, ended);
  if (start != 0) return start != process.start || ended;
  const long answer = os::call(SYS_kill, process.pid, 0);  // /proc may be hidden
  return answer != 0 && answer != -EPERM;
}

void Leftover::remove() {
  char path[sizeof name_ + sizeof kDirectory + 1];
  TextBuilder(path, sizeof path).add(kDirectory).add('/').add(name_);
  os::call(SYS_unlinkat, AT_FDCWD, path, 0);
}

bool Leftover::lock() {
  if (os::call(SYS_flock, fd_, LOCK_EX | LOCK_NB) != 0) return false;
  struct stat status {};
  return os::call(SYS_fstat, fd_, &status) == 0 && status.st_nlink > 0;
}

void for_each_leftover(bool (*visit)(void* context, Leftover&), void* context) {
  const long directory = os::call(SYS_openat, AT_FDCWD, kDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return;
  alignas(8) char entries[4096];
  bool go_on = true;
  while (go_on) {
    const long n = os::call(SYS_getdents64, directory, entries, sizeof entries);
    if (n <= 0) break;
    for (long at = 0; at < n && go_on;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      Leftover leftover;
      if (leftover.open(entry->d_name)) go_on = visit(context, leftover);
    }
  }
  os::close(static_cast<int>(directory));
}

Salvaged salvage(Leftover& dead, dump::EndReason reason, int signal_number) {
  if (!dead.lock()) return Salvaged::nothing;  // another salvager is at it, or was
  const View view = dead.view();
  Control& control = view.control();
  // After an exec the file outlives its whole dump. A thread that was interrupted in a record as that was written may
  // have finished it, before the kernel ended it.
  const auto ended = static_cast<dump::EndReason>(control.ended.load(std::memory_order_relaxed));
  if (!has_records(view) || (ended != dump::EndReason::none && !has_unwritten(view))) {
    dead.remove();
    return Salvaged::nothing;
  }
  // A rest that is too large for the last file goes there all the same: nobody would look for one more.
  if (control.rotate_files != 0) control.size_limit_bytes = 0;
  DumpWriter& out = writer();
  const bool is_new = control.created.load(std::memory_order_relaxed) == 0;
  const std::uint64_t bytes_before = control.dump_bytes;
  if (out.open(view) < 0) return Salvaged::unwritable;
  out.keep_what_finds_no_room();
  const bool same_clock = use_clock_of(control);
  const Anchor now = anchor_now();
  const Ending ending = ending_of(control, reason, signal_number, now.ticks);
  const bool done = out.put_end(ending.reason, ending.signal_number, same_clock ? &now : nullptr, ending.ticks);
  if (!done && is_new) out.discard();
  if (!done && !is_new) out.cut_back_to(bytes_before);
  out.close();
  if (!done) {
    dead.map_again();
    return Salvaged::unwritable;
  }
  dead.remove();
  return Salvaged::written;
}

bool snapshot(Leftover& process, bool with_header, Sink sink) {
  const View view = process.view();
  const bool alive = process.process_is_alive();
  static Collector c;  // as above
  c.open(view, sink);
  if (with_header && !(c.put_file_header() && c.put_process() && c.put_anchor(view.control().start_anchor)))
    return false;
  if (use_clock_of(view.control()) && !c.put_anchor(anchor_now())) return false;
  if (alive) return c.put_standing();
  const Ending ending = ending_of(view.control(), dump::EndReason::none, 0, 0);
  return c.put_everything() &&
         (ending.reason == dump::EndReason::none || c.put_end(ending.reason, ending.signal_number, ending.ticks));
}

}  // namespace tl::shm
