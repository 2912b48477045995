// Which files are parts of one rotated dump.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "read/records.h"

namespace tl::read {

// What the beginning of a file says of itself; none: it cannot be read, or is no part of a rotated dump.
struct PartOf {
  ProcessInfo process;
  PartInfo part;
  bool same_dump(const PartOf& other) const {
    return process.boot_id == other.process.boot_id && process.pid == other.process.pid &&
           process.process_start == other.process.process_start && process.start_unix_ns == other.process.start_unix_ns;
  }
};
std::optional<PartOf> part_of(const std::string& path);

// The files, each dump's together and in the order of its parts; dumps in the order of their first file. A part that is
// there twice is a dump of its own.
std::vector<std::vector<std::string>> group_parts(const std::vector<std::string>& paths);

}  // namespace tl::read
