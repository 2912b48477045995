#include "read/walker.h"

#include <cstring>

namespace tl::read {

namespace {
constexpr std::size_t kLargestBlock = sizeof(dump::BlockHeader) + dump::kMaxPayloadBytes;
constexpr std::size_t kSearchBytes = 256u << 10;  // looked through for a magic at a time
}  // namespace

bool Walker::next(dump::BlockView& block, std::uint64_t& offset) {
  damage_.reset();
  while (at_ < source_.size()) {
    const Source::Bytes bytes = source_.at(at_, kLargestBlock);
    const dump::BlockStatus status =
        bytes.size == 0 ? dump::BlockStatus::cut : dump::read_block(bytes.data, bytes.size, block);
    if (status == dump::BlockStatus::whole) {
      offset = at_;
      at_ += block.bytes;
      return true;
    }
    // A block that reaches beyond the end was cut, unless a good one follows: then its length is what is damaged. Less
    // than a header that does not even begin like one is no cut block but something else.
    const std::uint64_t from = at_;
    std::uint64_t found = source_.size();
    const bool again = find_good_block(from + 1, found);
    const std::size_t visible = bytes.size < sizeof dump::kBlockMagic ? bytes.size : sizeof dump::kBlockMagic;
    const bool begins_like_one = visible == 0 || std::memcmp(bytes.data, &dump::kBlockMagic, visible) == 0;
    const bool torn = !again && status == dump::BlockStatus::cut && begins_like_one;
    if (budget_ == 0) {
      damage_ = {DamageKind::gave_up, from, source_.size() - from};
      at_ = source_.size();
      return false;
    }
    damage_ = {torn ? DamageKind::torn_tail : DamageKind::corrupt, from, found - from};
    at_ = found;
  }
  return false;
}

bool Walker::find_good_block(std::uint64_t from, std::uint64_t& found) {
  while (from < source_.size() && budget_ > 0) {
    const Source::Bytes bytes = source_.at(from, kSearchBytes);
    const void* magic =
        bytes.size == 0 ? nullptr : memmem(bytes.data, bytes.size, &dump::kBlockMagic, sizeof dump::kBlockMagic);
    if (magic == nullptr) {
      if (bytes.size < kSearchBytes) return false;
      from += bytes.size - (sizeof dump::kBlockMagic - 1);  // a magic may lie across the border
      continue;
    }
    from += static_cast<std::uint64_t>(static_cast<const unsigned char*>(magic) - bytes.data);
    dump::BlockView candidate;
    const Source::Bytes there = source_.at(from, kLargestBlock);
    const dump::BlockStatus status = dump::read_block(there.data, there.size, candidate);
    if (status == dump::BlockStatus::whole) {
      found = from;
      return true;
    }
    const std::uint64_t summed = status == dump::BlockStatus::damaged ? candidate.header.payload_bytes : 64;
    budget_ -= summed < budget_ ? summed : budget_;
    ++from;
  }
  return false;
}

}  // namespace tl::read
