#include "drain/dump_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock/anchor.h"
#include "os/file.h"
#include "os/signals.h"
#include "os/syscall.h"
#include "record/process.h"

namespace tl::drain {

using record::process;

shm::Anchor take_anchor() {
  const clock::AnchorSample sample = clock::take_anchor();
  return {sample.ticks, sample.raw_ns, sample.real_ns, sample.bracket_ticks, 0};
}

bool DumpFile::open(shm::Collector& collector) {
  shm::Control& control = *process.control;
  const bool is_new = control.created.load(std::memory_order_relaxed) == 0;
  fd_ = is_new ? os::create_with_free_suffix(control.output, control.created_path, sizeof control.created_path)
               : os::open_append(control.created_path);
  open_ = fd_ >= 0;
  if (!open_) return false;
  size_ = is_new ? 0 : os::call(SYS_lseek, fd_, 0, SEEK_END);
  collector.open(record::view(), {write, this});
  if (!is_new) return true;
  if (!collector.put_file_header() || !collector.put_process() || !collector.put_anchor(control.start_anchor) ||
      !collector.flush()) {
    os::call(SYS_unlinkat, AT_FDCWD, control.created_path, 0);
    close();
    return false;
  }
  control.created.store(1, std::memory_order_release);  // pairs with a salvager
  return true;
}

void DumpFile::close() {
  if (open_) os::close(fd_);
  open_ = false;
}

// All of the piece or nothing: the file ends on a block's border also when the disk is full.
bool DumpFile::write(void* self, const void* bytes, std::size_t size) {
  auto& file = *static_cast<DumpFile*>(self);
  const long written = os::write_all(file.fd_, bytes, size);
  if (written >= 0) {
    file.size_ += static_cast<std::int64_t>(size);
    return true;
  }
  os::call(SYS_ftruncate, file.fd_, file.size_);
  if (written == -EFBIG) {
    os::discard_signal(SIGXFSZ);  // the limit on file sizes has sent it to this thread, where it is blocked
  }
  return false;
}

}  // namespace tl::drain
