// What is missing from a dump, why, and what to change so that nothing is: counted by the recorder, told by gaps, or
// gone with a piece of the file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/summary.h"
#include "analyze/words.h"
#include "base/limits.h"

namespace tl::analyze {

namespace {

// Where there are several.
std::string in_file(const read::Dump& dump, std::size_t file) {
  const auto& files = dump.facts().files;
  return files.size() > 1 ? " of " + files[file].path : "";
}

bool is_older_part_missing(const read::Facts& facts) {
  std::uint32_t expected = 1;
  for (const read::FilePart& file : facts.files)
    if (file.part.number > expected++) return true;
  return false;
}

bool is_piece_gone(const read::Dump& dump) {
  return dump.facts().damaged() || dump.facts().contradictory_blocks > 0 ||
         (dump.liveness() == read::Liveness::unknown && !dump.found_dead());
}

bool is_warned_of(const read::Facts& facts, const std::string& code, const std::string& words = "") {
  return std::any_of(facts.warnings.first.begin(), facts.warnings.first.end(), [&](const read::Warning& warning) {
    return warning.code == code && warning.text.find(words) != std::string::npos;
  });
}

// By the words in which the recorder says why (shm/dump_file.cpp).
std::string room_advice(const read::Facts& facts) {
  std::string out;
  const auto add = [&](const char* words, const char* advice) {
    if (is_warned_of(facts, "no_space", words)) out += std::string(out.empty() ? "" : "; ") + advice;
  };
  add("TL_SIZE", "the dump reached its TL_SIZE: a larger one, or with TL_ROTATE it goes on in a next file");
  add("RLIMIT_FSIZE", "the dump reached RLIMIT_FSIZE: a higher limit on the size of files (ulimit -f)");
  add("quota", "the quota was used up: a larger one, or another place for the dump (TL_OUTPUT)");
  add("no space is left", "the disk was full: room on it, or another place for the dump (TL_OUTPUT)");
  add("as large as its file system",
      "the dump grew as large as its file system or a limit allows: another place for it (TL_OUTPUT), "
      "or with TL_SIZE and TL_ROTATE it goes on in a next file");
  return out.empty() ? "the dump had no room: room where it is written (TL_OUTPUT), or a larger TL_SIZE" : out;
}

std::string advice_for(LossCause cause, const read::Facts& facts) {
  switch (cause) {
    case LossCause::ring_full:
      return "the drain could not follow: a larger TL_RING and TL_RING_POOL (which all rings share), fewer scopes, "
             "or a CPU for the drain (TL_PIN keeps the program's threads on others)";
    case LossCause::no_ring:
      return "no memory for a thread's ring, 64 KiB each: a higher limit on the process's memory (ulimit -v), "
             "or a smaller TL_RING_POOL, which leaves more of it";
    case LossCause::too_deep:
      return fmt::format(
          "a thread keeps {} scopes open at once, which no setting changes: end those that are begun, "
          "or give a recursion a scope on fewer levels",
          count_words(kMaxOpenScopes));
    case LossCause::bad_id:
      return "no setting changes that: use only ids that tl_scope_register gave (0 is none)";
    case LossCause::forked:
      return "they came while the recording of a forked child was just starting, as from a signal handler: "
             "no setting changes that; block signals until the child's first record";
    case LossCause::late:
      return "no setting changes that: record nothing once a thread's destructors have run, "
             "nor on threads that still run while the process ends";
    case LossCause::disk_full:
      return room_advice(facts);
  }
  return {};
}

std::string advice_for_gone(const read::Facts& facts) {
  if (facts.damaged() || facts.contradictory_blocks > 0)
    return "the file was cut or damaged after it was written: an undamaged copy has them";
  if (is_warned_of(facts, "private_memory"))
    return "they died with the process's own memory, since /dev/shm took no more: room there, half of which is left to "
           "the program, or a higher limit on the size of files (ulimit -f)";
  return "they were in memory that died with the process, or the file was cut: "
         "leave /dev/shm/libtelemetry.* alone until tlreport has read the dump";
}

}  // namespace

std::string Losses::causes(bool lone_with_count) const {
  std::string out;
  const auto add = [&](const char* name, std::uint64_t lost) {
    if (lost == 0) return;
    out += std::string(out.empty() ? "" : ", ") + name;
    if (lost < records || lone_with_count) out += " " + count_words(lost);
  };
  for (unsigned cause = 0; cause < kLossCauses; ++cause) add(kLossCauseNames[cause], by_cause[cause]);
  add("not in the file", not_in_file);
  return out;
}

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
  out.at_least = is_piece_gone(dump);
  out.of_threads = static_cast<bool>(filter.thread);
  out.of_older_parts = is_older_part_missing(facts);
  out.beside_rows = !filter.scope && facts.marks.more == 0 && dump.liveness() == read::Liveness::ended &&
                    facts.end->reason != read::EndReason::continued && !out.at_least && !out.of_older_parts;
  for (unsigned cause = 0; cause < kLossCauses; ++cause)
    if (out.by_cause[cause] > 0)
      out.advice.push_back(std::string(kLossCauseNames[cause]) + ": " +
                           advice_for(static_cast<LossCause>(cause), facts));
  if (out.not_in_file > 0) out.advice.push_back("not_in_file: " + advice_for_gone(facts));
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
  if (losses.records > 0)
    out.push_back(counted(losses.records, "record was lost", "records were lost") + " (" + losses.causes() + ")");
  return out;
}

}  // namespace tl::analyze
