#include "record/open_scopes.h"

#include <cstring>

#include "record/hot.h"
#include "record/process.h"
#include "record/scope_allocations.h"

namespace tl::record {

using dump::RecordKind;
using shm::OpenScope;

namespace {

// One that began or should have begun at `from`, or two records where the number does not fit.
std::uint32_t add_to_row(dump::RingRecord* row, std::uint32_t id, RecordKind kind, std::uint64_t from,
                         std::uint64_t ticks) {
  if (ticks - from <= dump::kMaxNumber) {
    row[0] = {ticks, dump::record_word(id, kind, ticks - from)};
    return 1;
  }
  row[0] = {from, dump::record_word(id, RecordKind::wide_from, 0)};
  row[1] = {ticks, dump::record_word(id, RecordKind::wide_to, static_cast<std::uint8_t>(kind))};
  return 2;
}

void put_scope(ThreadState& thread, const shm::DisplacedScope& ended, StampMode end_mode, std::uint64_t end_ticks) {
  const auto& [scope, times, allocations] = ended;
  ++thread.ring->scopes_finished;
  const std::uint64_t begin_ticks = begin_of(scope, times);
  const auto begin_kind = dump::kind_of(std::uint64_t{scope.tag} << 32);
  const auto kind = static_cast<RecordKind>(static_cast<unsigned>(begin_kind) | static_cast<unsigned>(end_mode));
  dump::RingRecord row[7];
  std::uint32_t count = add_allocations(row, scope.id, allocations, end_ticks);
  if (scope.begin_high == shm::kFarOff && times.intended_ticks != 0) {
    const bool early = times.intended_ticks > begin_ticks;
    count += add_to_row(row + count, scope.id, early ? RecordKind::early_response : RecordKind::response,
                        early ? begin_ticks : times.intended_ticks, end_ticks);
  }
  count += add_to_row(row + count, scope.id, kind, begin_ticks, end_ticks);
  put_row(thread, row, count);
}

// The scope at `place` of the open stack ended although those above it are open: they wait in the displaced list.
void displace_above(ThreadState& thread, std::uint32_t place) {
  shm::RingChunk& ring = *thread.ring;
  for (std::uint32_t i = place + 1; i < ring.depth(); ++i) {
    if (open_id(ring.open[i], ring.times[i]) == 0) continue;
    if (ring.displaced_count == kMaxDisplacedScopes) {
      const auto& [oldest, times, unused] = ring.displaced[0];
      put_record(thread, begin_of(oldest, times), dump::record_word(oldest.id, RecordKind::abandoned, 0));
      std::memmove(&ring.displaced[0], &ring.displaced[1], (kMaxDisplacedScopes - 1) * sizeof ring.displaced[0]);
      --ring.displaced_count;
    }
    ring.displaced[ring.displaced_count++] = {ring.open[i], ring.times[i], take_allocations(ring, i)};
  }
  ring.set_depth(place);
}

bool end_displaced(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t ticks) {
  shm::RingChunk& ring = *thread.ring;
  for (std::uint32_t i = ring.displaced_count; i-- > 0;) {
    if (ring.displaced[i].scope.id != id) continue;
    const shm::DisplacedScope ended = ring.displaced[i];
    const std::uint32_t above = --ring.displaced_count - i;
    std::memmove(&ring.displaced[i], &ring.displaced[i + 1], above * sizeof ring.displaced[0]);
    put_record(thread, ticks, dump::record_word(id, RecordKind::mismatch, 1));
    put_scope(thread, ended, mode, ticks);
    return true;
  }
  return false;
}

bool is_overtaken(const shm::RingChunk& ring, std::uint32_t place, shm::WhyFarOff why) {
  return ring.open[place].begin_high == shm::kFarOff && ring.times[place].why == why;
}

// The end of a scope that was open across a pause, and counts as discarded: one that began before the pause, or in it.
bool end_across_pause(ThreadState& thread, std::uint32_t id) {
  shm::RingChunk& ring = *thread.ring;
  bool newer = false;  // something is open that began after the pause
  for (std::uint32_t i = ring.depth(); i-- > 0;) {
    newer = newer || open_id(ring.open[i], ring.times[i]) != 0;
    if (ring.open[i].id != id || !is_overtaken(ring, i, shm::WhyFarOff::stale)) continue;
    const std::uint32_t above = ring.depth() - i - 1;
    std::memmove(&ring.open[i], &ring.open[i + 1], above * sizeof ring.open[0]);
    std::memmove(&ring.times[i], &ring.times[i + 1], above * sizeof ring.times[0]);
    for (std::uint32_t level = i; level < i + above; ++level) move_allocations(ring, level, level + 1);
    ring.set_depth(ring.depth() - 1);
    return true;
  }
  // Begins in a pause are not seen. An end whose begin may lie there is the first of its id since, with nothing newer
  // open.
  std::uint64_t& forgiven = ring.ends_forgiven[id / 64 % shm::kForgivenWords];
  if (ring.knows_of_pause == 0 || newer || (forgiven >> id % 64 & 1) != 0) return false;
  forgiven |= std::uint64_t{1} << id % 64;
  put_record(thread, 0, dump::record_word(id, RecordKind::discarded, 0));
  return true;
}

}  // namespace

void push_scope(shm::RingChunk& ring, std::uint32_t id, StampMode mode, std::uint64_t begin_ticks,
                std::uint64_t intended_ticks) {
  const std::uint32_t depth = ring.depth();
  OpenScope& scope = ring.open[depth];
  scope.id = id;
  compiler_fence();
  ring.set_depth(depth + 1);
  compiler_fence();
  scope = {0, shm::kFarOff, id, shm::tag_of(id, mode)};  // id again: a handler in between had this place for itself
  ring.times[depth] = {0, intended_ticks, shm::WhyFarOff::intended};
  if (intended_ticks == 0)
    scope.set_begin(begin_ticks != 0 ? begin_ticks : clock::ticks_at_begin(mode));
  else
    ring.times[depth].begin_ticks = clock::ticks_at_begin(mode);
}

void push_late_scope(shm::RingChunk& ring, std::uint32_t id) {
  ring.open[ring.depth()] = {0, shm::kFarOff, id, 0};
  ring.times[ring.depth()] = {0, 0, shm::WhyFarOff::late};
  ring.set_depth(ring.depth() + 1);
}

void end_innermost(ThreadState& thread, StampMode end_mode, std::uint64_t end_ticks) {
  shm::RingChunk& ring = *thread.ring;
  const std::uint32_t top = ring.depth() - 1;
  const shm::DisplacedScope ended = {ring.open[top], ring.times[top], take_allocations(ring, top)};
  ring.set_depth(top);
  put_scope(thread, ended, end_mode, end_ticks);
}

void end_open_scope(ThreadState& thread, std::uint32_t id, StampMode mode, std::uint64_t ticks) {
  shm::RingChunk& ring = *thread.ring;
  const std::uint32_t depth = ring.depth();
  if (ring.too_deep > 0) {  // ends of those too deep to be kept come first
    if (--ring.too_deep == 0) ring.set_depth(kMaxOpenScopes);
    return;
  }
  if (depth != 0 && ring.open[depth - 1].id == id && is_overtaken(ring, depth - 1, shm::WhyFarOff::late))
    return ring.set_depth(depth - 1);
  for (std::uint32_t i = depth; i-- > 0;) {
    if (open_id(ring.open[i], ring.times[i]) != id) continue;
    const shm::DisplacedScope ended = {ring.open[i], ring.times[i], take_allocations(ring, i)};
    displace_above(thread, i);
    if (i + 1 != depth) put_record(thread, ticks, dump::record_word(id, RecordKind::mismatch, 1));
    return put_scope(thread, ended, mode, ticks);
  }
  if (end_displaced(thread, id, mode, ticks) || end_across_pause(thread, id)) return;
  put_record(thread, ticks, dump::record_word(id, RecordKind::mismatch, 0));
}

bool drop_stale(shm::RingChunk& ring) {
  const std::uint32_t depth = ring.depth();
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (is_overtaken(ring, i, shm::WhyFarOff::stale)) continue;
    ring.times[kept] = ring.times[i];
    move_allocations(ring, kept, i);
    ring.open[kept++] = ring.open[i];
  }
  ring.set_depth(kept);
  return kept < depth;
}

void meet_pauses(ThreadState& thread) {
  shm::RingChunk& ring = *thread.ring;
  const std::uint32_t version = 2 * gate.pauses.load(std::memory_order_relaxed);
  if (ring.gate_version == version) return;
  ring.gate_version = version;  // first, so that a handler does not come here again
  compiler_fence();
  const std::uint64_t discard_before_ticks = gate.discard_before_ticks.load(std::memory_order_relaxed);
  const auto discard = [&](const OpenScope& scope, std::uint64_t begin_ticks) {
    put_record(thread, begin_ticks, dump::record_word(scope.id, RecordKind::discarded, 0));
  };
  // Each stays in its place, and keeps what a begin or end may be about to write or read: this may be a handler.
  for (std::uint32_t i = 0; i < ring.depth(); ++i) {
    OpenScope& scope = ring.open[i];
    const std::uint64_t begin_ticks = begin_of(scope, ring.times[i]);
    if (open_id(scope, ring.times[i]) == 0 || begin_ticks >= discard_before_ticks) continue;
    discard(scope, begin_ticks);
    ring.times[i] = {begin_ticks, 0, shm::WhyFarOff::stale};
    scope.begin_high = shm::kFarOff;  // alone: a begin that was interrupted before it stamped is none that is overtaken
  }
  ring.knows_of_pause = 1;
  for (std::uint32_t i = 0; i < ring.displaced_count; ++i)
    discard(ring.displaced[i].scope, begin_of(ring.displaced[i].scope, ring.displaced[i].times));
  ring.displaced_count = 0;
  std::memset(ring.ends_forgiven, 0, sizeof ring.ends_forgiven);
  for (const std::uint32_t number : ring.pulse_chunks)
    if (number != 0) std::memset(view().chunk(number), 0, kChunkBytes);
}

}  // namespace tl::record
