// Common records that stood among the rare ones, most of them since their number is wide.
#pragma once

#include <optional>

#include "dump/format.h"

namespace tl::read {

struct Single {
  std::uint64_t ticks, number;
  std::uint16_t id;
  dump::RecordKind kind;
};

// The common record that `record` is, or completes together with the one before it in its thread (null: not known).
inline std::optional<Single> single_of(const dump::RingRecord* before, const dump::RingRecord& record) {
  const auto id = static_cast<std::uint16_t>(dump::id_of(record.word));
  const std::uint64_t number = dump::number_of(record.word);
  const dump::RecordKind kind = dump::kind_of(record.word);
  if (id == 0) return std::nullopt;
  if (dump::is_common(kind)) return Single{record.ticks, number, id, kind};
  if (kind != dump::RecordKind::wide_to || before == nullptr ||
      dump::kind_of(before->word) != dump::RecordKind::wide_from || number > 0xff)
    return std::nullopt;
  // The first half tells where the duration began, or is the value itself.
  const auto of = static_cast<dump::RecordKind>(number);
  if (!dump::is_common(of)) return std::nullopt;
  if (of == dump::RecordKind::value) return Single{record.ticks, dump::zigzag(before->ticks), id, of};
  const std::uint64_t backwards = before->ticks > record.ticks ? std::uint64_t{1} << 63 : 0;
  return Single{record.ticks, backwards | (record.ticks - before->ticks), id, of};
}

}  // namespace tl::read
