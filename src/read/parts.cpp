#include "read/parts.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "read/payloads.h"
#include "read/source.h"

namespace tl::read {

std::optional<PartOf> part_of(const std::string& path) {
  Source source;
  if (!source.open(path).empty()) return std::nullopt;
  constexpr std::size_t kLargestBlock = sizeof(dump::BlockHeader) + dump::kMaxPayloadBytes;
  const Source::Bytes header = source.at(0, sizeof(dump::FileHeader));
  if (header.size < sizeof(dump::FileHeader) ||
      std::memcmp(header.data, dump::kSignature, sizeof dump::kSignature) != 0)
    return std::nullopt;
  PartOf out;
  dump::BlockView block;
  const Source::Bytes first = source.at(sizeof(dump::FileHeader), kLargestBlock);
  if (dump::read_block(first.data, first.size, block) != dump::BlockStatus::whole ||
      block.header.type != static_cast<std::uint16_t>(dump::BlockType::process) || !decode_process(block, out.process))
    return std::nullopt;
  const Source::Bytes second = source.at(sizeof(dump::FileHeader) + block.bytes, kLargestBlock);
  if (dump::read_block(second.data, second.size, block) != dump::BlockStatus::whole ||
      block.header.type != static_cast<std::uint16_t>(dump::BlockType::part) || !decode_part(block, out.part))
    return std::nullopt;
  return out;
}

std::vector<std::vector<std::string>> group_parts(const std::vector<std::string>& paths) {
  struct Group {
    std::optional<PartOf> of;
    std::map<std::uint32_t, std::string> by_number;  // a file that is no part has number 0
  };
  std::vector<Group> groups;
  for (const std::string& path : paths) {
    const std::optional<PartOf> of = part_of(path);
    const std::uint32_t number = of ? of->part.number : 0;
    const auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return of && group.of && group.of->same_dump(*of) && group.by_number.count(number) == 0;
    });
    Group& group = known != groups.end() ? *known : groups.emplace_back(Group{of, {}});
    group.by_number.emplace(number, path);
  }
  std::vector<std::vector<std::string>> out;
  for (const Group& group : groups) {
    out.emplace_back();
    for (const auto& [number, path] : group.by_number) out.back().push_back(path);
  }
  return out;
}

}  // namespace tl::read
