// Who ran: one row for every thread of the program.
#include <cstring>

#include "analyze/summary.h"

namespace tl::analyze {

namespace {

std::string error_name(int error) {
  const char* name = strerrorname_np(error);
  return name != nullptr ? name : std::string("errno ") + std::to_string(error);
}

}  // namespace

bool is_orphan(const read::Thread& thread) { return thread.info && thread.info->orphan; }

bool thread_selected(const read::Dump& dump, std::uint32_t serial, const Filter& filter) {
  if (!filter.thread) return true;
  const auto found = dump.facts().threads.find(serial);
  if (found == dump.facts().threads.end()) return false;
  if (is_orphan(found->second)) return false;
  return filter.thread(std::string("#") + std::to_string(serial)) ||
         (found->second.info && filter.thread(found->second.info->name));
}

std::string thread_label(const read::Dump& dump, std::uint32_t serial) {
  const auto found = dump.facts().threads.find(serial);
  if (serial == dump::kNoThread) return "(ended in other parts)";
  if (found != dump.facts().threads.end() && is_orphan(found->second)) return "(after a thread's end)";
  const std::string number = std::string("#") + std::to_string(serial);
  if (found == dump.facts().threads.end() || !found->second.info || found->second.info->name.empty()) return number;
  return found->second.info->name + " " + number;
}

std::vector<ThreadRow> list_threads(const read::Dump& dump, const Filter& filter) {
  const read::Facts& facts = dump.facts();
  const bool counted =
      facts.process && (facts.process->alloc_mode & kAllocCount) != 0 && facts.process->alloc_observable;
  std::vector<ThreadRow> rows;
  for (const auto& [serial, thread] : facts.threads) {
    if (is_orphan(thread) || !thread_selected(dump, serial, filter)) continue;
    ThreadRow row;
    row.serial = serial;
    if (const auto& info = thread.info) {
      if (info->tid != 0) row.tid = info->tid;
      row.name = info->name;
      row.foreign = info->foreign;
      row.start_ns = std::max(0.0, dump.clock().ns_at(info->start_ticks));
      if (info->end_ticks != 0) row.end_ns = std::max(0.0, dump.clock().ns_at(info->end_ticks));
      row.pin_asked = info->pin_asked;
      row.pin_applied = info->pin_applied;
      if (info->pin_error != 0) row.pin_error = error_name(info->pin_error);
    }
    row.scopes = thread.scopes;
    if (const auto& counters = thread.counters) {
      for (const std::uint64_t lost : counters->lost) row.lost += lost;
      if (counted) {
        row.allocations = 0;
        row.bytes = counters->alloc_bytes;
        for (const read::CallCount& calls : counters->calls)
          if (calls.call != static_cast<unsigned>(AllocCall::free_)) *row.allocations += calls.calls;
      }
    }
    row.lost += thread.missing - std::min(thread.missing, thread.dropped);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace tl::analyze
