// What is missing from a dump, and why: counted by the recorder, told by gaps, or gone with a piece of the file.
#include <algorithm>
#include <array>

#include "analyze/summary.h"
#include "analyze/words.h"

namespace tl::analyze {

namespace {

// Where there are several.
std::string in_file(const read::Dump& dump, std::size_t file) {
  const auto& files = dump.facts().files;
  return files.size() > 1 ? " of " + files[file].path : "";
}

}  // namespace

Losses count_losses(const read::Dump& dump, const Filter& filter) {
  const read::Facts& facts = dump.facts();
  const bool running = dump.liveness() == read::Liveness::running;
  Losses out;
  for (const read::LossRange& loss : facts.losses.first) {
    if (!thread_selected(dump, loss.thread, filter)) continue;
    out.ranges.push_back({loss.thread, dump.clock().ns_at(loss.from_ticks), dump.clock().ns_at(loss.to_ticks),
                          loss.records, loss.cause ? kLossCauseNames[static_cast<unsigned>(*loss.cause)] : ""});
  }
  out.ranges_left_out = facts.losses.more;
  // Where a full disk had no room for the counters of each thread, those of no thread in particular hold them, and with
  // them the episodes that the threads themselves told before.
  std::array<std::uint64_t, kLossCauses> told_uncounted{}, counted_for_others{};
  for (const auto& [serial, thread] : facts.threads) {
    if (!thread_selected(dump, serial, filter)) continue;
    for (unsigned cause = 0; cause < kLossCauses; ++cause) {
      // The counters are exact and include the episodes; in a cut file they may be older than those, or missing.
      if (!thread.counters)
        told_uncounted[cause] += thread.told[cause];
      else if (is_orphan(thread))
        counted_for_others[cause] += thread.counters->lost[cause];
      else
        out.by_cause[cause] += std::max(thread.counters->lost[cause], thread.told[cause]);
    }
    out.not_in_file += thread.unexplained(running) + thread.scopes_gone(running);
  }
  for (unsigned cause = 0; cause < kLossCauses; ++cause) {
    out.by_cause[cause] += std::max(told_uncounted[cause], counted_for_others[cause]);
    out.records += out.by_cause[cause];
  }
  out.records += out.not_in_file;
  std::stable_sort(out.ranges.begin(), out.ranges.end(), [](const LossSpan& a, const LossSpan& b) {
    return a.from_ns != b.from_ns ? a.from_ns < b.from_ns : a.thread < b.thread;
  });
  return out;
}

std::vector<std::string> partial_reasons(const read::Dump& dump, const Losses& losses) {
  const read::Facts& facts = dump.facts();
  std::vector<std::string> out;
  if (facts.torn)
    out.push_back(std::string("cut after ") + counted(facts.records, "record", "records") + ", at byte " +
                  std::to_string(facts.torn->offset) + in_file(dump, facts.torn_in));
  if (facts.first_corrupt)
    out.push_back(
        std::string("damaged at byte ") + std::to_string(facts.first_corrupt->offset) +
        in_file(dump, facts.corrupt_in) + " after " + counted(facts.records_before_damage, "record", "records") + ": " +
        counted(facts.corrupt_places, "place", "places") + ", " + counted(facts.corrupt_bytes, "byte is", "bytes are") +
        " no block; " + counted(facts.records, "record was", "records were") + " recovered");
  if (facts.contradictory_blocks > 0)
    out.push_back(counted(facts.contradictory_blocks, "block contradicts itself", "blocks contradict themselves") +
                  " and cannot be used, the first at byte " + std::to_string(facts.first_contradiction));
  if (!facts.process) out.push_back("the block that names the process is missing");
  const std::vector<std::string> parts = part_reasons(dump);
  const std::string rest = out.empty() && parts.empty() && losses.records == 0
                               ? "every finished record was recovered"
                               : "what it left was recovered, but for what is told here";
  switch (dump.liveness()) {
    case read::Liveness::running:
      out.push_back("the process is still running");
      break;
    case read::Liveness::unknown:
      if (dump.found_dead())
        out.push_back(
            "not closed: the process was killed; what it left in memory was read, but cannot be written to the file");
      else if (out.empty())
        out.push_back(
            "not closed: the end is not in the file (it was cut between two blocks, or the process was killed" +
            std::string(losses.not_in_file > 0 ? ")" : " and left nothing else)"));
      break;
    case read::Liveness::ended:
      if (facts.end->reason == read::EndReason::killed) out.push_back("not closed: the process was killed; " + rest);
      if (facts.end->reason == read::EndReason::signal)
        out.push_back("not closed: killed by " + signal_words(facts.end->signal_number) + "; " + rest);
      break;
  }
  out.insert(out.end(), parts.begin(), parts.end());
  if (losses.records > 0) {
    std::string causes;
    for (unsigned cause = 0; cause < kLossCauses; ++cause)
      if (losses.by_cause[cause] > 0)
        causes += std::string(causes.empty() ? "" : ", ") + std::string(kLossCauseNames[cause]) + " " +
                  count_words(losses.by_cause[cause]);
    if (losses.not_in_file > 0)
      causes +=
          std::string(causes.empty() ? "" : ", ") + std::string("not in the file ") + count_words(losses.not_in_file);
    out.push_back(counted(losses.records, "record was lost", "records were lost") + " (" + causes + ")");
  }
  return out;
}

}  // namespace tl::analyze
