#include "shm/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "dump/format.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/signals.h"
#include "os/syscall.h"

namespace tl::shm {

namespace {

constexpr std::uint64_t kMostSuffix = 1000000;
constexpr std::uint64_t kStrideBytes = 1u << 20;      // room is asked for in such steps: one call in 16 pieces
constexpr std::uint64_t kLastWordsBytes = 12u << 10;  // warnings, counts of no thread in particular, the end block
constexpr std::uint64_t kReserveBytes = 32u << 10;    // beside those of the threads
constexpr std::uint64_t kReserveBytesPerThread = 1u << 10;

// Where the file's last whole block ends, so that half a block (the writer died in it) is not built upon. Hops from
// header to header, from a border that is known; a damaged header ends the walk at the file's end, for the reader to
// sort out.
std::uint64_t end_of_last_block(int fd, std::uint64_t from, std::uint64_t size) {
  std::uint64_t at = from > sizeof(dump::FileHeader) && from <= size ? from : sizeof(dump::FileHeader);
  while (at < size) {
    dump::BlockHeader header;
    const long n = os::call(SYS_pread64, fd, &header, sizeof header, at);
    if (n != sizeof header) return at;
    if (header.magic != dump::kBlockMagic || header.payload_bytes > dump::kMaxPayloadBytes) return size;
    const std::uint64_t next = at + sizeof header + header.payload_bytes;
    if (next > size) return at;
    at = next;
  }
  return at;
}

bool is_own_regular_file(int fd, struct stat& status) {
  return os::call(SYS_fstat, fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == os::user_id();
}

}  // namespace

PartFile& DumpFile::own_place(Control& control) {
  return control.parts[control.rotate_files == 0 ? 0 : (control.part - 1) % control.rotate_files];
}

void DumpFile::put_path(Control& control) {
  TextBuilder path(control.created_path, sizeof control.created_path);
  path.add(control.output);
  if (const std::uint64_t suffix = own_place(control).suffix; suffix > 0) path.add('.').number(suffix);
}

// The file that had just been made, or was given its name, when its maker died: empty again.
int DumpFile::reopen(Control& control) {
  const PartFile& own = own_place(control);
  if (own.inode == 0) return -ENOENT;
  put_path(control);
  struct stat status {};
  const int fd = os::open_append(control.created_path);
  if (fd >= 0 && is_own_regular_file(fd, status) && status.st_dev == own.device && status.st_ino == own.inode &&
      os::call(SYS_ftruncate, fd, 0) == 0)
    return fd;
  if (fd >= 0) os::close(fd);
  return -ENOENT;
}

int DumpFile::make(Control& control, bool with_name) {
  if (const int fd = reopen(control); fd >= 0) return fd;
  PartFile& own = own_place(control);
  own = {};
  const int fd = with_name ? os::create_with_free_suffix(control.output, control.created_path,
                                                         sizeof control.created_path, own.suffix)
                           : os::create_nameless(control.output);
  struct stat status {};
  if (fd >= 0 && os::call(SYS_fstat, fd, &status) == 0) own = {own.suffix, status.st_dev, status.st_ino};
  has_name_ = with_name;
  return fd;
}

bool DumpFile::give_name() {
  PartFile& own = own_place(*control_);
  for (own.suffix = 0; !has_name_ && own.suffix <= kMostSuffix; ++own.suffix) {
    put_path(*control_);
    const int error = os::name_file(fd_, control_->created_path);
    has_name_ = error == 0;
    if (has_name_ || error != -EEXIST) break;
  }
  return has_name_;
}

int DumpFile::open(Control& control, bool with_name) {
  const bool is_new = control.created.load(std::memory_order_relaxed) == 0;
  has_name_ = true;
  fd_ = is_new ? make(control, with_name) : os::open_append(control.created_path);
  if (fd_ == -ENOENT && !is_new) return -ESTALE;
  if (fd_ < 0) return fd_;
  size_ = 0;
  if (!is_new) {
    struct stat status {};
    const PartFile& own = own_place(control);
    if (!is_own_regular_file(fd_, status) || status.st_dev != own.device || status.st_ino != own.inode) {
      os::close(fd_);
      return -ESTALE;
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    size_ = end_of_last_block(fd_, control.dump_bytes, size);
    if (size_ < size) os::call(SYS_ftruncate, fd_, size_);
  }
  control.dump_bytes = size_;
  control_ = &control;
  reserved_ = size_;
  can_reserve_ = true;
  at_size_limit_ = false;
  open_ = true;
  if (!is_new || make_room(0, Weight::totals) == Wrote::all) return 0;
  discard();
  return -ENOSPC;
}

void DumpFile::close() {
  if (!open_) return;
  release_reserve();
  os::close(fd_);
  open_ = false;
}

void DumpFile::release_reserve() {
  if (reserved_ > size_) os::call(SYS_ftruncate, fd_, size_);
  reserved_ = size_;
}

void DumpFile::cut_back_to(std::uint64_t bytes) {
  if (!open_ || bytes == 0 || bytes > size_) return;
  size_ = control_->dump_bytes = bytes;
  os::call(SYS_ftruncate, fd_, size_);
  reserved_ = size_;
}

void DumpFile::discard() {
  if (!open_) return;
  if (has_name_) os::call(SYS_unlinkat, AT_FDCWD, control_->created_path, 0);
  own_place(*control_) = {};
  os::close(fd_);
  open_ = false;
}

std::uint64_t DumpFile::reserve_for(Weight weight) const {
  if (weight == Weight::last_words) return 0;
  if (weight == Weight::totals) return kLastWordsBytes;
  const std::uint64_t threads = control_->slots_used.load(std::memory_order_relaxed);
  const std::uint64_t wanted = kReserveBytes + threads * kReserveBytesPerThread;
  const std::uint64_t limit = control_->size_limit_bytes;  // of a small file most is for the records
  const std::uint64_t reserve = limit != 0 && wanted > limit / 4 ? limit / 4 : wanted;
  return weight == Weight::records ? reserve : kLastWordsBytes + (reserve - kLastWordsBytes) / 2;
}

Wrote DumpFile::refuse(const char* why, bool at_size_limit) {
  why_no_room_ = why;
  at_size_limit_ = at_size_limit;
  return Wrote::no_room;
}

Wrote DumpFile::make_room(std::size_t size, Weight weight) {
  const std::uint64_t needed = size_ + size + reserve_for(weight);
  const std::uint64_t limit = control_->size_limit_bytes;
  if (limit != 0 && needed > limit) return refuse("the dump has the size that TL_SIZE allows", true);
  if (needed <= reserved_ || !can_reserve_) return Wrote::all;
  rlimit file_limit{RLIM_INFINITY, RLIM_INFINITY};
  os::call(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, &file_limit);
  if (needed > file_limit.rlim_cur && weight != Weight::last_words)
    return refuse("the process's limit on the size of files (RLIMIT_FSIZE) is reached");
  long result = 0;
  for (const std::uint64_t more : {kStrideBytes, std::uint64_t{0}}) {
    if (needed + more > file_limit.rlim_cur) continue;
    result = os::call(SYS_fallocate, fd_, FALLOC_FL_KEEP_SIZE, reserved_, needed + more - reserved_);
    if (result == -EFBIG) os::discard_signal(SIGXFSZ);
    if (result == 0) {
      reserved_ = needed + more;
      return Wrote::all;
    }
  }
  if (weight == Weight::last_words) return Wrote::all;  // what was reserved for them may do
  if (result == -ENOSPC) return refuse("no space is left on its file system");
  if (result == -EDQUOT) return refuse("the user's quota on its file system is used up");
  if (result == -EFBIG) return refuse("it is as large as its file system or the process's limits allow");
  can_reserve_ = result == -EINTR;
  return Wrote::all;
}

bool DumpFile::has_room() { return make_room(kWriteBytes, Weight::records) == Wrote::all; }

Wrote DumpFile::write(const void* bytes, std::size_t size, Weight weight) {
  if (const Wrote room = make_room(size, weight); room != Wrote::all) return room;
  const long written = os::write_all(fd_, bytes, size);
  if (written >= 0) {
    size_ += size;
    control_->dump_bytes = size_;
    return Wrote::all;
  }
  os::call(SYS_ftruncate, fd_, size_);
  reserved_ = size_;
  if (written == -EFBIG) {
    os::discard_signal(SIGXFSZ);  // the limit on file sizes has sent it to this thread, where it is blocked
    return refuse("the process's limit on the size of files (RLIMIT_FSIZE) is reached");
  }
  if (written == -ENOSPC) return refuse("no space is left on its file system");
  if (written == -EDQUOT) return refuse("the user's quota on its file system is used up");
  return Wrote::failed;
}

bool DumpFile::is_it(const char* path, const PartFile& part) {
  struct stat status {};
  return part.inode != 0 && os::call(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_dev == part.device && status.st_ino == part.inode;
}

void DumpFile::remove_oldest_part(Control& control) {
  PartFile& oldest = own_place(control);
  if (oldest.inode == 0) return;
  char path[sizeof control.created_path];
  TextBuilder name(path, sizeof path);
  name.add(control.output);
  if (oldest.suffix > 0) name.add('.').number(oldest.suffix);
  if (is_it(path, oldest)) os::call(SYS_unlinkat, AT_FDCWD, path, 0);
  oldest = {};
}

}  // namespace tl::shm
