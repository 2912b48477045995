// A dump while it grows. Nothing but what was appended is read, once.
#include "read/dump.h"

namespace tl::read {

namespace {

// File header and the header of the first block, whose checksum tells one process from another.
constexpr std::size_t kHeadBytes = sizeof(dump::FileHeader) + sizeof(dump::BlockHeader);

std::string head_of(Source& source, std::size_t size) {
  const Source::Bytes bytes = source.at(0, size);
  return bytes.size == 0 ? std::string() : std::string(reinterpret_cast<const char*>(bytes.data), bytes.size);
}

}  // namespace

std::string Dump::begin_live(const std::string& path) {
  auto piece = std::make_unique<Piece>();
  std::string failure = piece->source.open(path);
  if (failure.empty()) failure = read_header(piece->source);
  if (!failure.empty()) return failure;
  live_head_ = head_of(piece->source, kHeadBytes);
  pieces_.clear();  // the part before this one
  pieces_.push_back(std::move(piece));
  facts_.files.push_back({path, 0, {}, 0, {}});
  file_records_ = 0;
  live_at_ = sizeof(dump::FileHeader);
  running_ = true;
  return {};
}

void Dump::walk_on(Piece& piece, std::uint64_t& at, const std::function<void(const RecordRun&)>& each) {
  Walker walker(piece.source, at);
  dump::BlockView block;
  for (std::uint64_t offset = 0; walker.next(block, offset); at = offset + block.bytes) {
    if (walker.damage()) note_damage(*walker.damage());
    if (piece.index.full()) piece.index = {};
    if (take_block(block, offset, piece) &&
        (block.header.type == static_cast<std::uint16_t>(dump::BlockType::records) ||
         block.header.type == static_cast<std::uint16_t>(dump::BlockType::events)))
      hand_out(block, last_skip_, false, live_halves_, each);
  }
  live_tail_ = walker.damage();  // may be half of a block that is being written
  FilePart& file = facts_.files.back();
  file.records = file_records_;
  file.end = facts_.end;
  clock_ = clock::Converter(anchors_.all(), facts_.process && !facts_.process->clock_is_tsc);
  facts_.anchors = anchors_.seen();
}

void Dump::read_on(const std::function<void(const RecordRun&)>& each) {
  Piece& piece = *pieces_.back();
  piece.index = {};  // nobody reads this file again
  piece.source.refresh();
  walk_on(piece, live_at_, each);
  facts_.files.back().bytes = piece.source.size();
  running_ = !facts_.end || facts_.end->reason == EndReason::continued;
}

void Dump::read_left(Source memory, const std::function<void(const RecordRun&)>& each) {
  salvaged_in_memory_ = true;
  const std::optional<Damage> tail = live_tail_;
  Piece piece;
  piece.source = std::move(memory);
  std::uint64_t at = 0;
  walk_on(piece, at, each);
  live_tail_ = tail;
}

void Dump::end_live() {
  running_ = false;
  if (live_tail_) note_damage(*live_tail_);
  live_tail_.reset();
  settle_absences();
}

bool Dump::live_file_rewritten() {
  Source& source = pieces_.back()->source;
  source.refresh();
  return source.size() < live_at_ || head_of(source, live_head_.size()) != live_head_;
}

}  // namespace tl::read
