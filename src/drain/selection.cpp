#include "drain/selection.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>

#include "base/text.h"
#include "os/file.h"
#include "os/identity.h"
#include "os/syscall.h"
#include "shm/layout.h"
#include "shm/names.h"

namespace tl::drain {

namespace {

constexpr unsigned kMaxAncestors = 1000;
constexpr unsigned kMaxImages = 8;  // of one process that exec'd behind our back, so that their files are still there

template <class Field>
bool read_field(int fd, std::size_t at, Field& out) {
  return os::call(SYS_pread64, fd, &out, sizeof out, at) == sizeof out;
}

// Whether a living process is recorded for this user, by itself and without its children.
bool leaves_children_out(std::uint32_t pid) {
  for (unsigned image = 0; image < kMaxImages; ++image) {
    char path[128];
    TextBuilder text(path, sizeof path);
    text.add(shm::kDirectory).add('/').add(shm::kFilePrefix).number(pid).add('.').number(os::process_start(pid));
    text.add('.').number(image);
    const int fd = static_cast<int>(os::call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (fd < 0) return false;
    struct stat status {};
    std::uint64_t magic = 0;
    std::uint32_t version = 0, out = 0;
    const bool ours = os::call(SYS_fstat, fd, &status) == 0 && status.st_uid == os::user_id() &&
                      read_field(fd, offsetof(shm::Control, magic), magic) && magic == shm::kControlMagic &&
                      read_field(fd, offsetof(shm::Control, layout_version), version) &&
                      version == shm::kLayoutVersion &&
                      read_field(fd, offsetof(shm::Control, leaves_children_out), out);
    os::close(fd);
    if (ours && out != 0) return true;
  }
  return false;
}

// Nothing in the environment may tell a child from its parent, since the program would see it. Where tlrun started the
// first process, tlrun has put down which that is; else the ancestors are looked at, as far as they live.
bool is_left_out_child(const Follow& follow) {
  if (follow.run_pid != 0) return follow.run_pid != os::pid() || follow.run_start != os::process_start(0);
  std::uint32_t ancestor = os::parent_of(0);
  for (unsigned i = 0; i < kMaxAncestors && ancestor > 1; ++i) {
    if (leaves_children_out(ancestor)) return true;
    ancestor = os::parent_of(ancestor);
  }
  return false;
}

}  // namespace

bool is_selected(const Environment& environment, std::string_view program) {
  if (!globs_match(environment.only, program)) return false;
  return environment.follow.children || !is_left_out_child(environment.follow);
}

}  // namespace tl::drain
