// What is rare in a ring, in the first pass: counted and kept, but for common records among it, which the second pass
// hands out.
#include <algorithm>
#include <cstring>
#include <utility>

#include "read/dump.h"
#include "read/payloads.h"
#include "read/singles.h"

namespace tl::read {

bool Dump::take_events(const dump::BlockView& block, std::uint64_t offset, Piece& piece) {
  Events events;
  const std::uint32_t serial = block.header.thread;
  if (!decode_events(block, events)) return false;
  if (events.first_sequence == dump::kOutsideTheRing) {
    Thread& thread = facts_.threads[serial];
    Pending pending;  // pairs of theirs stand in one block, and may come between the halves of a ring's
    for (const dump::RingRecord& record : events.records) take_event(serial, thread, record, pending);
    return true;
  }
  if (events.first_sequence > UINT64_MAX - block.header.count) return false;
  Thread& thread = facts_.threads[serial];
  if (events.first_sequence > thread.next_sequence) pending_.erase(serial);  // what would follow is missing
  const std::uint32_t skip = advance(thread, events.first_sequence, block.header.count);
  if (skip > 0) piece.index.skip(offset, skip);
  Pending& pending = pending_[serial];
  for (std::size_t i = skip; i < events.records.size(); ++i) take_event(serial, thread, events.records[i], pending);
  return true;
}

void Dump::take_event(std::uint32_t serial, Thread& thread, const dump::RingRecord& record, Pending& pending) {
  const std::uint32_t id = dump::id_of(record.word);
  const std::uint64_t number = dump::number_of(record.word);
  const Pending before = std::exchange(pending, Pending{record, 0, 0});
  if (const auto single = single_of(before.before ? &*before.before : nullptr, record)) {
    const bool span = single->kind == dump::RecordKind::span;
    thread.scopes += dump::is_scope(single->kind) || span;
    if (!span) facts_.last_ticks = std::max(facts_.last_ticks, record.ticks);
    return;
  }
  switch (dump::kind_of(record.word)) {
    case dump::RecordKind::discarded:
      ++thread.discarded[id];
      return;
    case dump::RecordKind::abandoned:
      ++thread.abandoned[id];
      return;
    case dump::RecordKind::mismatch:
      ++thread.mismatched[id];
      return;
    case dump::RecordKind::dropped:
      thread.dropped += number;
      return;
    case dump::RecordKind::mark:
      facts_.last_ticks = std::max(facts_.last_ticks, record.ticks);
      pending.mark = facts_.marks.add({serial, record.ticks, {}});
      pending.mark_bytes_left = static_cast<std::size_t>(std::min<std::uint64_t>(number, kMostMarkBytes));
      return;
    case dump::RecordKind::mark_text:
      if (before.mark == 0 || before.mark_bytes_left == 0) return;
      pending.mark = before.mark;
      pending.mark_bytes_left = before.mark_bytes_left;
      return take_mark_text(pending, record);
    case dump::RecordKind::loss_to:
      if (before.before && dump::kind_of(before.before->word) == dump::RecordKind::loss_from)
        take_loss(serial, thread, *before.before, record);
      return;
    default:  // half of a pair, `nothing`, or a kind of a later version
      return;
  }
}

void Dump::take_mark_text(Pending& pending, const dump::RingRecord& record) {
  std::string& text = facts_.marks.first[pending.mark - 1].text;
  const std::uint64_t words[2] = {record.ticks, dump::number_of(record.word)};
  char bytes[sizeof words];
  std::memcpy(bytes, words, sizeof words);
  const std::size_t taken = std::min(pending.mark_bytes_left, dump::kMarkBytesPerRecord);
  text.append(bytes, taken);
  pending.mark_bytes_left -= taken;
}

// An episode that was still open when it was first written down is written again, longer: it is known by its begin and
// its cause.
void Dump::take_loss(std::uint32_t serial, Thread& thread, const dump::RingRecord& from, const dump::RingRecord& to) {
  const std::uint64_t number = dump::number_of(to.word), records = dump::number_of(from.word);
  if (number >= kLossCauses) return;
  const auto cause = static_cast<LossCause>(number);
  const auto known = std::find_if(thread.episodes.begin(), thread.episodes.end(), [&](const Episode& one) {
    return one.records != 0 && one.from_ticks == from.ticks && one.cause == cause;
  });
  Episode& episode =
      known != thread.episodes.end() ? *known : thread.episodes[thread.next_episode++ % thread.episodes.size()];
  if (known == thread.episodes.end())
    episode = {from.ticks, 0, facts_.losses.add({serial, from.ticks, from.ticks, 0, cause}), cause};
  thread.told[number] += records - std::min(records, episode.records);
  episode.records = std::max(records, episode.records);
  if (episode.place == 0) return;
  LossRange& loss = facts_.losses.first[episode.place - 1];
  loss.records = episode.records;
  loss.to_ticks = std::max(to.ticks, loss.to_ticks);
}

}  // namespace tl::read
