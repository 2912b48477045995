// Where the blocks of a source lie, for a second pass over them from either end, in memory that does not grow with the
// source: every n-th block's offset, n doubling when the table is full. The blocks between two of them are found again
// by their headers' lengths; what the first pass had to search for or left out is kept as an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dump/block.h"
#include "read/source.h"

namespace tl::read {

class BlockIndex {
 public:
  // In the order of the source.
  void add(std::uint64_t offset, std::uint64_t bytes);        // a whole block
  void skip(std::uint64_t offset, std::uint32_t records);     // the first records of it were there before
  void leave_out(std::uint64_t offset, std::uint64_t bytes);  // no blocks
  // No room for another block's exceptions: nothing more of the source could be found again.
  bool full() const { return exceptions_.size() + 2 > kMostExceptions; }

  struct Place {
    std::uint64_t offset;
    std::uint32_t skip;
    dump::BlockType type;
  };
  // Stretches of consecutive blocks, in the order of the source.
  std::size_t stretches() const { return marks_.size(); }
  std::size_t stretch_of(std::uint64_t offset) const;
  // The stretch's blocks of these types (bit by type) that this version knows.
  void list(Source& source, std::size_t stretch, std::uint64_t types, std::vector<Place>& out) const;

 private:
  static constexpr std::size_t kMostMarks = 4096, kMostExceptions = 65536;
  struct Exception {
    std::uint64_t offset, amount;
    bool no_blocks;
  };

  std::vector<std::uint64_t> marks_;  // of each stretch's first block
  std::uint64_t blocks_ = 0, stride_ = 64;
  std::uint64_t end_ = 0;  // of the last block
  std::vector<Exception> exceptions_;
};

}  // namespace tl::read
