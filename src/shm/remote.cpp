#include "shm/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <cstring>
#include <string_view>

#include "base/text.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "shm/names.h"
#include "shm/salvage.h"

namespace tl::shm {

namespace {

constexpr std::uint64_t kLookNs = 1'000'000;  // between two looks at what may have changed
constexpr std::uint64_t kMaxImages = 1000;    // of one process, as record/process.cpp numbers them

std::uint64_t now_ns() {
  timespec now{};
  os::call(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

void rest() {
  const timespec pause{0, kLookNs};
  os::call(SYS_nanosleep, &pause, 0);
}

struct Search {
  std::uint32_t pid;
  std::uint64_t pid_namespace;
  char name[256];  // empty: none found
};

// An image that an exec has replaced is not it; of those that seem to live the last is.
bool visit(void* context, Leftover& leftover) {
  Search& search = *static_cast<Search*>(context);
  const Control& control = leftover.control();
  if (control.pid != search.pid || control.pid_namespace != search.pid_namespace || !leftover.process_is_alive() ||
      control.ended.load(std::memory_order_relaxed) != 0)
    return true;
  const std::string_view name = leftover.name(), before = search.name;
  if (name.size() > before.size() || (name.size() == before.size() && name > before))
    TextBuilder(search.name, sizeof search.name).add(name);
  return true;
}

// Whether another user's recording goes by this process's name.
bool is_recorded_for_another(std::uint32_t pid) {
  for (std::uint64_t image = 0; image < kMaxImages; ++image) {
    char path[128];
    TextBuilder text(path, sizeof path);
    text.add(kDirectory).add('/').add(kFilePrefix).number(pid).add('.').number(os::process_start(pid));
    text.add('.').number(image);
    struct stat status {};
    if (os::call(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (status.st_uid != os::user_id()) return true;
  }
  return false;
}

}  // namespace

std::uint32_t Remote::started_by(std::uint32_t tlrun_pid) {
  struct Child {
    std::uint32_t parent, pid;
  } child{tlrun_pid, 0};
  const auto visit_child = [](void* context, Leftover& leftover) {
    Child& wanted = *static_cast<Child*>(context);
    const Control& control = leftover.control();
    if (control.pid == control.run_pid && control.process_start == control.run_start &&
        control.parent_pid == wanted.parent && control.pid_namespace == os::pid_namespace() &&
        leftover.process_is_alive())
      wanted.pid = control.pid;
    return wanted.pid == 0;
  };
  for_each_leftover(visit_child, &child);
  return child.pid;
}

Remote::Found Remote::open(std::uint32_t pid) {
  close();
  const long answer = os::call(SYS_kill, pid, 0);
  if (pid == 0 || (answer != 0 && answer != -EPERM)) return Found::no_process;
  Search search{pid, os::pid_namespace(), {}};
  for_each_leftover(visit, &search);
  if (search.name[0] != 0 && map(search.name)) return Found::recorded;
  return is_recorded_for_another(pid) ? Found::other_user : Found::not_recorded;
}

bool Remote::map(const char* name) {
  char path[sizeof Search::name + sizeof kDirectory + 1];
  TextBuilder(path, sizeof path).add(kDirectory).add('/').add(name);
  fd_ = static_cast<int>(os::call(SYS_openat, AT_FDCWD, path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
  struct stat status {};
  // Looked at once more, since the name may have become another file.
  if (fd_ < 0 || os::call(SYS_fstat, fd_, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != os::user_id() ||
      status.st_size < static_cast<off_t>(kChunkBytes))
    return false;
  const long mapped = os::call(SYS_mmap, 0, kChunkBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped < 0 && mapped > -4096) return false;
  control_ = reinterpret_cast<Control*>(mapped);
  return control_->magic == kControlMagic && control_->layout_version == kLayoutVersion;
}

void Remote::close() {
  if (control_ != nullptr) os::call(SYS_munmap, control_, kChunkBytes);
  if (fd_ >= 0) os::close(fd_);  // and with it the lock
  control_ = nullptr;
  fd_ = -1;
}

// A lock of this open file alone: the kernel lets go of it whatever becomes of us, and it is not the one that salvagers
// take.
bool Remote::lock(std::uint64_t give_up_ns) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  while (os::call(SYS_fcntl, fd_, F_OFD_SETLK, &whole) != 0) {
    if (now_ns() >= give_up_ns) return false;
    rest();
  }
  return true;
}

Remote::Outcome Remote::ask(Request request, std::uint64_t patience_ns) {
  std::uint64_t give_up_ns = now_ns() + patience_ns;
  if (!lock(give_up_ns)) return Outcome::busy;
  if (request == Request::flush && control_->attended.load() == 0) return Outcome::nothing_to_flush;
  const std::uint32_t word = next_word(control_->asked.load(), request);
  control_->asked.store(word);  // pairs with the process, which says that it is attended and looks at this after
  if (control_->attended.load() == 0) return Outcome::at_first_record;
  give_up_ns = now_ns() + patience_ns;
  while (control_->answered.load(std::memory_order_acquire) != word) {  // pairs with who answers
    if (now_ns() >= give_up_ns) {
      control_->asked.store(next_word(word, Request::nothing));
      return Outcome::no_answer;
    }
    rest();
  }
  const auto answer = static_cast<Answer>(control_->answer.load(std::memory_order_relaxed));
  return answer == Answer::done ? Outcome::done : Outcome::failed;
}

}  // namespace tl::shm
