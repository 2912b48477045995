// What the files of a rotated dump lack of it.
#include <algorithm>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

std::string range_words(std::uint32_t from, std::uint32_t to) {
  if (from == to) return "part " + std::to_string(from);
  return "parts " + std::to_string(from) + (to == from + 1 ? " and " : " to ") + std::to_string(to);
}

}  // namespace

FileFacts file_facts(const read::Dump& dump) {
  FileFacts out = {dump.path(), false, dump.bytes(), dump.facts().records, {}};
  for (const read::FilePart& file : dump.facts().files)
    if (file.part.number != 0) out.parts.push_back({file.path, file.part.number});
  return out;
}

// As the parts tell it, or else as the sequences of the threads do that have records in them.
std::uint64_t records_elsewhere(const read::Dump& dump) {
  std::uint64_t sum = 0, number = 0, so_far = 0;
  bool told = true;
  for (const read::FilePart& file : dump.facts().files) {
    if (file.part.number != number + 1) {
      told = told && file.part.records_before && *file.part.records_before >= so_far;
      if (told) sum += *file.part.records_before - so_far;
    }
    number = file.part.number;
    so_far = file.part.records_before.value_or(0) + file.records;
  }
  if (told) return sum;
  sum = 0;
  for (const auto& [serial, thread] : dump.facts().threads) sum += thread.elsewhere;
  return sum;
}

std::vector<std::string> part_reasons(const read::Dump& dump) {
  const auto& files = dump.facts().files;
  std::vector<std::string> out;
  const std::uint64_t elsewhere = records_elsewhere(dump);
  const auto why_older_are_missing = [&](const read::PartInfo& first) {
    const std::uint32_t kept = std::min(first.files, files.back().part.number);
    const auto given = static_cast<std::uint32_t>(files.size());
    const std::uint32_t beside = kept > given ? kept - given : 0;
    std::string why = "the dump rotates through " + counted(first.files, "file");
    if (beside > 0) why += ", of which " + counted(given, "is given here", "are given here");
    if (first.number - 1 > beside) why += ", and older parts are overwritten";
    return why + (elsewhere > 0 ? "; " + counted(elsewhere, "record") + " in them" : "");
  };
  std::uint32_t before = 0;
  for (const read::FilePart& file : files) {
    const std::uint32_t number = file.part.number;
    if (number == 0) continue;
    if (number > before + 1)
      out.push_back(range_words(before + 1, number - 1) + (number == before + 2 ? " is" : " are") +
                    " not among the files: " +
                    (before == 0 ? why_older_are_missing(file.part) : "records are missing in between"));
    before = number;
    if (&file == &files.back()) continue;
    if (!file.end || file.end->reason != read::EndReason::continued)
      out.push_back(range_words(number, number) + " does not end where the next one begins");
  }
  const auto& end = dump.facts().end;
  if (end && end->reason == read::EndReason::continued)
    out.push_back(range_words(files.front().part.number, before) +
                  " of a rotated dump, which goes on in the next part");
  return out;
}

}  // namespace tl::analyze
