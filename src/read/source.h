// The bytes of a dump: a regular file, or what a process left in memory. Read by windows, so that a dump of any size
// takes a few megabytes; not mapped, since a file that shrinks under a mapping ends the reader by SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::read {

class Source {
 public:
  Source() = default;
  explicit Source(std::vector<unsigned char> bytes) : window_(std::move(bytes)), size_(window_.size()) {}
  ~Source();
  Source(Source&& other) noexcept;
  Source& operator=(Source&& other) noexcept;

  // Empty, or why the path cannot be read, in words.
  std::string open(const std::string& path);

  // Fixed when the source was opened or refreshed: what a live writer adds later is not looked at.
  std::uint64_t size() const { return size_; }
  // As large as the file is now.
  void refresh();
  // `path` leads to this very file.
  bool is(const std::string& path) const;

  struct Bytes {
    const unsigned char* data = nullptr;
    std::size_t size = 0;
  };
  // Up to `want` bytes from `offset`, fewer at the end or where the file became shorter. Valid until the next call.
  // `backwards`: the next call will ask for what lies before.
  Bytes at(std::uint64_t offset, std::size_t want, bool backwards = false);
  // What is asked for next lies from `begin` to `end`, and after that what lies before.
  void look_at(std::uint64_t begin, std::uint64_t end);

 private:
  int descriptor_ = -1;
  std::vector<unsigned char> window_;
  std::uint64_t window_offset_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace tl::read
