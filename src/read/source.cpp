#include "read/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tl::read {

namespace {
constexpr std::size_t kWindowBytes = 4u << 20;  // three of the largest blocks
}

Source::~Source() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Source::Source(Source&& other) noexcept { *this = std::move(other); }

Source& Source::operator=(Source&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(window_, other.window_);
  std::swap(window_offset_, other.window_offset_);
  std::swap(size_, other.size_);
  return *this;
}

std::string Source::open(const std::string& path) {
  // Not blocking: a FIFO without a writer would hold the report for ever.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) return std::strerror(errno);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return "is a directory, not a dump";
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  size_ = static_cast<std::uint64_t>(status.st_size);
  return {};
}

void Source::refresh() {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return;
  size_ = static_cast<std::uint64_t>(status.st_size);
  window_.clear();
}

bool Source::is(const std::string& path) const {
  struct stat mine {
  }, other{};
  return ::fstat(descriptor_, &mine) == 0 && ::stat(path.c_str(), &other) == 0 && mine.st_dev == other.st_dev &&
         mine.st_ino == other.st_ino;
}

Source::Bytes Source::at(std::uint64_t offset, std::size_t want, bool backwards) {
  if (offset >= size_ || want == 0) return {};
  want = static_cast<std::size_t>(std::min<std::uint64_t>(want, size_ - offset));
  const bool inside = offset >= window_offset_ && offset + want <= window_offset_ + window_.size();
  if (!inside && descriptor_ >= 0) {
    const std::size_t bytes = std::max(want, kWindowBytes);
    const std::uint64_t end = offset + want;
    const std::uint64_t from = backwards ? (end > bytes ? end - bytes : 0) : offset;
    const std::size_t length = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, size_ - from));
    window_.resize(length);
    window_offset_ = from;
    std::size_t got = 0;
    while (got < length) {
      const ssize_t n = ::pread(descriptor_, window_.data() + got, length - got, static_cast<off_t>(from + got));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;  // an error on the medium or a file that became shorter: what is there counts
      got += static_cast<std::size_t>(n);
    }
    window_.resize(got);
  }
  if (offset < window_offset_ || offset >= window_offset_ + window_.size()) return {};
  const auto start = static_cast<std::size_t>(offset - window_offset_);
  return {window_.data() + start, std::min(want, window_.size() - start)};
}

void Source::look_at(std::uint64_t begin, std::uint64_t end) {
  if (end - begin <= kWindowBytes) at(begin, static_cast<std::size_t>(end - begin), true);
}

}  // namespace tl::read
