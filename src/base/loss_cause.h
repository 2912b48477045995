// Why a record is missing. The order is part of the dump format and of the shared memory layout: append only.
#pragma once

#include <cstdint>

namespace tl {

enum class LossCause : std::uint8_t { ring_full, no_ring, too_deep, bad_id, forked, late, disk_full };
constexpr unsigned kLossCauses = 7;

constexpr const char* kLossCauseNames[kLossCauses] = {"ring_full", "no_ring", "too_deep", "bad_id",
                                                      "forked",    "late",    "disk_full"};

}  // namespace tl
