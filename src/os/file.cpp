#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "os/syscall.h"

namespace tl::os {

namespace {
int open_at(const char* path, int flags, unsigned mode) {
  long fd;
  do fd = call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode);
  while (fd == -EINTR);
  return static_cast<int>(fd);
}

bool is_directory(const char* path) {
  struct stat status {};
  return call(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

bool directory_of(std::string_view path, char* out, std::size_t capacity) {
  const std::size_t slash = path.rfind('/');
  TextBuilder text(out, capacity);
  text.add(slash == std::string_view::npos ? "." : slash == 0 ? "/" : head(path, slash));
  return !text.cut();
}
}  // namespace

int open_read(const char* path) { return open_at(path, O_RDONLY | O_NOCTTY, 0); }

int open_append(const char* path) { return open_at(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NOCTTY, 0); }

int create_new(const char* path, unsigned mode) {
  const int fd = open_at(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, mode);
  if (fd >= 0) call(SYS_fchmod, fd, mode);
  return fd;
}

void close(int fd) { call(SYS_close, fd); }

long write_all(int fd, const void* bytes, std::size_t size) {
  const char* at = static_cast<const char*>(bytes);
  for (std::size_t left = size; left > 0;) {
    const long n = call(SYS_write, fd, at, left);
    if (n == -EINTR) continue;
    if (n < 0) return n;
    if (n == 0) return -ENOSPC;
    at += n;
    left -= static_cast<std::size_t>(n);
  }
  return static_cast<long>(size);
}

long read_file(const char* path, void* buffer, std::size_t capacity) {
  const int fd = open_read(path);
  if (fd < 0) return fd;
  std::size_t size = 0;
  long n = 0;
  while (size < capacity) {
    n = call(SYS_read, fd, static_cast<char*>(buffer) + size, capacity - size);
    if (n == -EINTR) continue;
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  close(fd);
  return n < 0 ? n : static_cast<long>(size);
}

int create_with_free_suffix(const char* wanted, char* created, std::size_t capacity, std::uint64_t& suffix) {
  if (is_directory(wanted)) return -EISDIR;
  for (suffix = 0;; ++suffix) {
    TextBuilder name(created, capacity);
    name.add(wanted);
    if (suffix > 0) name.add('.').number(suffix);
    if (name.cut()) return -ENAMETOOLONG;
    const int fd = create_new(created, 0600);
    if (fd != -EEXIST) return fd;
    if (suffix == 1000000) return -EEXIST;
  }
}

int create_nameless(const char* wanted) {
  if (is_directory(wanted)) return -EISDIR;
  char directory[kMaxPathBytes + 64];
  if (!directory_of(wanted, directory, sizeof directory)) return -ENAMETOOLONG;
  const int fd = open_at(directory, O_TMPFILE | O_RDWR | O_APPEND, 0600);
  if (fd >= 0) call(SYS_fchmod, fd, 0600);
  return fd;
}

int name_file(int fd, const char* path) {
  char file[64];
  // The thread's own: its table of descriptors may not be the process's.
  TextBuilder(file, sizeof file).add("/proc/thread-self/fd/").number(static_cast<std::uint64_t>(fd));
  return static_cast<int>(call(SYS_linkat, AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW));
}

int check_new_file(const char* path) {
  if (is_directory(path)) return -EISDIR;
  char directory[kMaxPathBytes + 64];
  if (!directory_of(path, directory, sizeof directory)) return -ENAMETOOLONG;
  const int fd = open_at(directory, O_PATH | O_DIRECTORY, 0);
  if (fd < 0) return fd;
  struct statfs file_system {};
  const long known = call(SYS_fstatfs, fd, &file_system);
  close(fd);
  // These say yes to root and then make no file.
  if (known == 0 && (file_system.f_type == PROC_SUPER_MAGIC || file_system.f_type == SYSFS_MAGIC)) return -EOPNOTSUPP;
  return static_cast<int>(call(SYS_faccessat, AT_FDCWD, directory, W_OK | X_OK));
}

void say(std::string_view line) { write_all(2, line.data(), line.size()); }

}  // namespace tl::os
