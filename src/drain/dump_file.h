// The dump of this process as a file: made when there is something to write, appended to, never overwritten.
#pragma once

#include <cstdint>

#include "shm/collector.h"

namespace tl::drain {

class DumpFile {
 public:
  // Opens the dump, making it (with file header, process and first anchor) if this process has none yet. False: it
  // cannot be written. The collector is opened on it.
  bool open(shm::Collector& collector);
  void close();
  void forget() { open_ = false; }  // the descriptor belongs to a table that this process does not have
  bool is_open() const { return open_; }

 private:
  static bool write(void* self, const void* bytes, std::size_t size);

  bool open_ = false;
  int fd_ = 0;
  std::int64_t size_ = 0;  // of whole blocks
};

shm::Anchor take_anchor();

}  // namespace tl::drain
