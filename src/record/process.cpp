#include "record/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "clock/tsc.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/identity.h"
#include "os/signals.h"
#include "os/syscall.h"
#include "record/free_list.h"
#include "record/thread_life.h"
#include "shm/names.h"
#include "shm/warnings.h"

namespace tl::record {

constinit Config config{};
constinit Process process{};

namespace {

constinit FreeList<kMaxChunks> free_chunks{};

constexpr std::uint32_t kFirstChunks = 4;

bool is_error(long result) { return result < 0 && result > -4096; }

// After mlockall(MCL_FUTURE) new memory counts against the limit on what is locked, which is the program's.
unsigned char* unlocked(long mapped) {
  os::call(SYS_munlock, mapped, kChunkBytes);
  return reinterpret_cast<unsigned char*>(mapped);
}

unsigned char* map_private() {
  const long mapped = os::call(SYS_mmap, 0, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return is_error(mapped) ? nullptr : unlocked(mapped);
}

// Shared memory is the program's too, and of others: half of it stays free, and of a little a part, for the first
// chunks without which nothing outlives the process.
bool leaves_enough(int fd, std::uint32_t number) {
  struct statfs of {};
  if (os::call(SYS_fstatfs, fd, &of) != 0 || of.f_blocks == 0) return true;
  const std::uint64_t least = number < kFirstChunks ? of.f_blocks / 8 : of.f_blocks / 2;
  return of.f_bavail >= least + kChunkBytes / static_cast<std::uint64_t>(of.f_bsize);
}

// Room first (without it a store to a full tmpfs ends in SIGBUS), then the mapping.
unsigned char* map_shared(int fd, std::uint32_t number) {
  const os::SignalsBlocked blocked;
  const std::uint64_t at = std::uint64_t{number} * kChunkBytes;
  if (!leaves_enough(fd, number)) return nullptr;
  const long room = os::call(SYS_fallocate, fd, 0, at, kChunkBytes);
  if (room == -EFBIG) os::discard_signal(SIGXFSZ);  // the program's own limit on file sizes, of which it must not die
  if (room != 0) return nullptr;
  const long mapped = os::call(SYS_mmap, 0, kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, at);
  return is_error(mapped) ? nullptr : unlocked(mapped);
}

// The descriptor lives for this one call: the program may close all descriptors and reuse their numbers at any time.
int open_shared() {
  if (process.shared_path[0] == 0) return -ENOENT;
  const long fd = os::call(SYS_openat, AT_FDCWD, process.shared_path, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0) return static_cast<int>(fd);
  struct stat status {};
  if (os::call(SYS_fstat, fd, &status) == 0 && status.st_dev == process.shared_device &&
      status.st_ino == process.shared_inode)
    return static_cast<int>(fd);
  os::close(static_cast<int>(fd));
  return -ENOENT;
}

// Whether the file is of an earlier image of this very process, which an exec has replaced and whose dump is whole.
bool left_by_exec(const char* path) {
  const int fd = static_cast<int>(os::call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0));
  if (fd < 0) return false;
  std::uint64_t magic = 0;
  std::uint32_t ended = 0;
  os::call(SYS_pread64, fd, &magic, sizeof magic, offsetof(shm::Control, magic));
  os::call(SYS_pread64, fd, &ended, sizeof ended, offsetof(shm::Control, ended));
  os::close(fd);
  return magic == shm::kControlMagic && ended == static_cast<std::uint32_t>(dump::EndReason::exec);
}

// A name says pid and start time, which no other process has, and which image of it this is.
int create_shared() {
  const std::uint64_t start = os::process_start(0);
  for (std::uint64_t image = 0; image < 1000; ++image) {
    TextBuilder path(process.shared_path, sizeof process.shared_path);
    path.add(shm::kDirectory).add('/').add(shm::kFilePrefix).number(os::pid()).add('.').number(start);
    path.add('.').number(image);
    int fd = os::create_new(process.shared_path, 0600);
    if (fd == -EEXIST && left_by_exec(process.shared_path)) {
      os::call(SYS_unlinkat, AT_FDCWD, process.shared_path, 0);
      fd = os::create_new(process.shared_path, 0600);
    }
    if (fd == -EEXIST) continue;
    struct stat status {};
    if (fd >= 0 && os::call(SYS_fstat, fd, &status) == 0) {
      process.shared_device = status.st_dev;
      process.shared_inode = status.st_ino;
      return fd;
    }
    if (fd >= 0) os::close(fd);
    break;
  }
  process.shared_path[0] = 0;
  return -1;
}

}  // namespace

bool create_memory() {
  const int fd = create_shared();
  unsigned char* first = fd >= 0 ? map_shared(fd, 0) : nullptr;
  if (fd >= 0) os::close(fd);
  const bool is_private = first == nullptr;
  if (is_private) {
    remove_shared_file();
    first = map_private();
  }
  if (first == nullptr) return false;
  process.control = reinterpret_cast<shm::Control*>(first);
  process.control->private_chunks.store(is_private, std::memory_order_relaxed);
  process.control->next_chunk.store(1, std::memory_order_relaxed);
  process.control->next_serial.store(1, std::memory_order_relaxed);  // 0 is the first thread's
  process.chunks[0].store(first, std::memory_order_release);         // pairs with View
  if (create_rest_slot()) return true;
  remove_shared_file();
  forget_memory();
  return false;
}

void respect_memory_limit(std::uint64_t bytes) {
  constexpr std::uint64_t kPart = 16;
  const std::uint64_t chunks = bytes / kPart / kChunkBytes;
  if (chunks >= config.ring_pool_chunks) return;
  config.ring_pool_chunks = process.control->ring_pool_chunks = static_cast<std::uint32_t>(chunks);
}

void leave_memory() {
  if (process.control == nullptr) return;
  const std::uint32_t taken = process.control->next_chunk.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < taken && i < kMaxChunks; ++i)
    if (unsigned char* chunk = process.chunks[i].load(std::memory_order_relaxed))
      os::call(SYS_mmap, chunk, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  process.shared_path[0] = 0;
}

void forget_memory() {
  for (std::uint32_t i = 0; i < kMaxChunks && process.chunks[i].load(std::memory_order_relaxed) != nullptr; ++i)
    process.chunks[i].store(nullptr, std::memory_order_relaxed);
  process.control = nullptr;
  process.shared_path[0] = 0;
  process.recorded.store(false, std::memory_order_relaxed);
  process.pool_in_use.store(0, std::memory_order_relaxed);
  process.slots_closing.store(0, std::memory_order_relaxed);
  process.chunks_ready.store(0, std::memory_order_relaxed);
  free_chunks.clear();
  forget_slots();
}

void remove_shared_file() {
  if (process.shared_path[0] == 0) return;
  const int fd = open_shared();  // it must be ours still
  if (fd < 0) return;
  os::close(fd);
  os::call(SYS_unlinkat, AT_FDCWD, process.shared_path, 0);
  process.shared_path[0] = 0;
}

namespace {

std::uint32_t make_chunk() {
  if (process.sealed.load(std::memory_order_relaxed)) return 0;
  std::atomic<std::uint32_t>& next = process.control->next_chunk;
  std::uint32_t number = next.load(std::memory_order_relaxed);
  do {
    if (number >= kMaxChunks) return 0;
  } while (!next.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
  const int fd = open_shared();
  unsigned char* memory = fd >= 0 ? map_shared(fd, number) : nullptr;
  if (fd >= 0) os::close(fd);
  // Private memory records as well; only, it does not survive the process.
  if (memory == nullptr) {
    memory = map_private();
    if (process.control->private_chunks.fetch_add(1, std::memory_order_relaxed) == 0)
      warn("private_memory",
           "there was no more room in /dev/shm, no way into it, or a limit on the size of files: what is in private "
           "memory "
           "is lost unless the process itself ends the dump");
  }
  process.chunks[number].store(memory, std::memory_order_release);  // pairs with View
  return memory == nullptr ? 0 : number;
}

void push_ready(std::uint32_t number) {
  process.chunks_ready.fetch_add(1, std::memory_order_relaxed);
  free_chunks.push(number);
}

}  // namespace

std::uint32_t take_chunk() {
  std::uint32_t number;
  if (!free_chunks.pop(number)) return make_chunk();
  process.chunks_ready.fetch_sub(1, std::memory_order_relaxed);
  return number;
}

bool make_chunk_ready() {
  const std::uint32_t number = make_chunk();
  if (number != 0) push_ready(number);
  return number != 0;
}

void return_chunk(std::uint32_t number) {
  unsigned char* memory = process.chunks[number].load(std::memory_order_relaxed);
  if (memory == nullptr) return;
  std::memset(memory, 0, kChunkBytes);
  push_ready(number);
}

void wait_while(Phase phase, std::uint64_t patience_ns) {
  const std::uint64_t give_up_ns = clock::raw_ns() + patience_ns;
  while (process.phase.load(std::memory_order_acquire) == phase) {
    const std::uint64_t now_ns = clock::raw_ns();
    if (now_ns >= give_up_ns) return;
    os::futex_wait(process.phase, phase, give_up_ns - now_ns);
  }
}

void wake_who_waits_for_phase() { os::futex_wake(process.phase); }

void warn(std::string_view code, std::string_view text) {
  static constinit std::atomic<std::uint32_t> writing{0};
  shm::Control* control = process.control;
  if (control == nullptr || writing.exchange(1, std::memory_order_acquire) != 0) return;  // two at once: one is dropped
  shm::add_warning(*control, code, text);
  writing.store(0, std::memory_order_release);
}

}  // namespace tl::record
