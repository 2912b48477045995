// Steps through the blocks of a dump. What is no whole block is passed over and described; a good block after it is
// found again by its magic and checksum.
#pragma once

#include <cstdint>
#include <optional>

#include "dump/block.h"
#include "read/source.h"

namespace tl::read {

enum class DamageKind {
  torn_tail,  // the source ends inside a block: it was cut, all before is good
  corrupt,    // bytes that are no block, or a block whose checksum is wrong
  gave_up,    // so much damage that looking on would take longer than it is worth; the rest was not looked at
};

struct Damage {
  DamageKind kind;
  std::uint64_t offset, bytes;
};

class Walker {
 public:
  // From `offset` to the end of the source.
  Walker(Source& source, std::uint64_t offset)
      : source_(source), at_(offset), budget_(kBudgetBase + 16 * source.size()) {}

  // False at the end. The block is valid until the source is asked again.
  bool next(dump::BlockView& block, std::uint64_t& offset);
  // What the last next() passed over.
  const std::optional<Damage>& damage() const { return damage_; }

 private:
  bool find_good_block(std::uint64_t from, std::uint64_t& found);

  // Bytes that may be summed in search of a good block. A crafted file can hold a magic every four bytes, each
  // claiming a megabyte; without a bound such a search is quadratic.
  static constexpr std::uint64_t kBudgetBase = 64u << 20;

  Source& source_;
  std::uint64_t at_;
  std::uint64_t budget_;
  std::optional<Damage> damage_;
};

}  // namespace tl::read
