#include "read/block_index.h"

#include <algorithm>
#include <cstring>

namespace tl::read {

void BlockIndex::add(std::uint64_t offset, std::uint64_t bytes) {
  if (blocks_ % stride_ == 0) {
    if (marks_.size() == kMostMarks) {
      for (std::size_t i = 0; i < kMostMarks / 2; ++i) marks_[i] = marks_[2 * i];
      marks_.resize(kMostMarks / 2);
      stride_ *= 2;  // the block at hand is the first of a stretch still: the table holds an even number of them
    }
    marks_.push_back(offset);
  }
  ++blocks_;
  end_ = offset + bytes;
}

void BlockIndex::skip(std::uint64_t offset, std::uint32_t records) { exceptions_.push_back({offset, records, false}); }

void BlockIndex::leave_out(std::uint64_t offset, std::uint64_t bytes) { exceptions_.push_back({offset, bytes, true}); }

std::size_t BlockIndex::stretch_of(std::uint64_t offset) const {
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), offset);
  return after == marks_.begin() ? 0 : static_cast<std::size_t>(after - marks_.begin()) - 1;
}

void BlockIndex::list(Source& source, std::size_t stretch, std::uint64_t types, std::vector<Place>& out) const {
  out.clear();
  std::uint64_t at = marks_[stretch];
  const std::uint64_t end = stretch + 1 < marks_.size() ? marks_[stretch + 1] : end_;
  auto exception = std::lower_bound(exceptions_.begin(), exceptions_.end(), at,
                                    [](const Exception& one, std::uint64_t offset) { return one.offset < offset; });
  source.look_at(at, end);
  while (at < end) {
    dump::BlockHeader header;
    const Source::Bytes bytes = source.at(at, sizeof header);
    if (bytes.size < sizeof header) return;
    std::memcpy(&header, bytes.data, sizeof header);
    std::uint32_t skip = 0;
    for (; exception != exceptions_.end() && exception->offset <= at; ++exception) {
      if (exception->offset < at) continue;
      if (exception->no_blocks) break;
      skip = static_cast<std::uint32_t>(exception->amount);
    }
    if (exception != exceptions_.end() && exception->offset == at) {
      at += exception++->amount;
      continue;
    }
    // Somebody may have changed the file between the passes.
    if (header.magic != dump::kBlockMagic || header.payload_bytes > dump::kMaxPayloadBytes) return;
    if (header.version == 1 && header.type < 64 && (types >> header.type & 1) != 0)
      out.push_back({at, skip, static_cast<dump::BlockType>(header.type)});
    at += sizeof header + header.payload_bytes;
  }
}

}  // namespace tl::read
