#include "dump/block.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tl::dump {

namespace {
constexpr std::size_t kSummedFrom = offsetof(BlockHeader, type);
}

std::uint32_t checksum_of(const BlockHeader& header, const void* payload) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  const std::uint64_t seed = XXH3_64bits(bytes + kSummedFrom, sizeof header - kSummedFrom);
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(payload, header.payload_bytes, seed));
}

ByteWriter& BlockWriter::begin(BlockType type, std::uint32_t thread, std::uint32_t count, std::uint64_t first_ticks) {
  header_ = BlockHeader{};
  header_.magic = kBlockMagic;
  header_.version = 1;
  header_.type = static_cast<std::uint16_t>(type);
  header_.thread = thread;
  header_.count = count;
  header_.first_ticks = first_ticks;
  const bool fits = room() >= sizeof header_;
  payload_ = ByteWriter(buffer_ + size_ + (fits ? sizeof header_ : 0), fits ? room() - sizeof header_ : 0);
  return payload_;
}

bool BlockWriter::end() {
  if (payload_.full() || room() < sizeof header_ || payload_.size() > kMaxPayloadBytes) return false;
  header_.payload_bytes = static_cast<std::uint32_t>(payload_.size());
  header_.checksum = checksum_of(header_, buffer_ + size_ + sizeof header_);
  std::memcpy(buffer_ + size_, &header_, sizeof header_);
  size_ += sizeof header_ + header_.payload_bytes;
  return true;
}

BlockStatus read_block(const unsigned char* data, std::size_t left, BlockView& view) {
  if (left < sizeof(BlockHeader)) return BlockStatus::cut;
  std::memcpy(&view.header, data, sizeof(BlockHeader));
  if (view.header.magic != kBlockMagic || view.header.payload_bytes > kMaxPayloadBytes) return BlockStatus::damaged;
  if (view.header.payload_bytes > left - sizeof(BlockHeader)) return BlockStatus::cut;
  view.payload = data + sizeof(BlockHeader);
  view.bytes = sizeof(BlockHeader) + view.header.payload_bytes;
  return checksum_of(view.header, view.payload) == view.header.checksum ? BlockStatus::whole : BlockStatus::damaged;
}

}  // namespace tl::dump
