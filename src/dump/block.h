// Framing: a payload becomes a block in a caller's buffer, and bytes become a checked block again. No allocation.
#pragma once

#include "base/bytes.h"
#include "dump/format.h"

namespace tl::dump {

// Makes one block at a time in a buffer: begin(), fill payload(), end(). A block that does not fit is taken back whole
// and end() says false, so that a file never holds half a block by our own doing.
class BlockWriter {
 public:
  constexpr BlockWriter(unsigned char* buffer, std::size_t capacity) : buffer_(buffer), capacity_(capacity) {}

  ByteWriter& begin(BlockType type, std::uint32_t thread, std::uint32_t count, std::uint64_t first_ticks);
  bool end();

  const unsigned char* data() const { return buffer_; }
  std::size_t size() const { return size_; }
  std::size_t room() const { return capacity_ - size_; }
  void clear() { size_ = 0; }

 private:
  unsigned char* buffer_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  BlockHeader header_{};
  ByteWriter payload_{nullptr, 0};
};

std::uint32_t checksum_of(const BlockHeader& header, const void* payload);

enum class BlockStatus { whole, cut, damaged };  // cut: the bytes end inside the block

struct BlockView {
  BlockHeader header;
  const unsigned char* payload = nullptr;
  std::size_t bytes = 0;  // header and payload: the step to the next block
};

// Takes the block at `data`, of which `left` bytes are there. Never reads beyond them; trusts no length.
BlockStatus read_block(const unsigned char* data, std::size_t left, BlockView& view);

}  // namespace tl::dump
