#include <nlohmann/json.hpp>

#include "tlbench/paired.h"
#include "tlbench/print.h"

namespace tl::tlbench {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"virtual", machine.is_virtual},
          {"cpus", machine.cpus},
          {"usable_cpus", machine.usable_cpus},
          {"kernel", machine.kernel},
          {"clocksource", or_null(machine.clocksource)},
          {"governor", or_null(machine.governor)},
          {"load", or_null(machine.load)}};
}

void add_times(const Measured& measured, Json& out) {
  const PairedRatio ratio = paired_ratio(measured.times(measured.part), measured.times(measured.reference));
  out["ns"] = median(measured.times(measured.part));
  out["reference_ns"] = median(measured.times(measured.reference));
  out["p50_ns"] = measured.part.p50_ns;
  out["p99_ns"] = measured.part.p99_ns;
  out["reference_p50_ns"] = measured.reference.p50_ns;
  out["reference_p99_ns"] = measured.reference.p99_ns;
  out["ratio"] = ratio.median;
  out["ratio_p10"] = ratio.p10;
  out["ratio_p90"] = ratio.p90;
  out["pairs"] = ratio.pairs;
  if (!measured.part.cpu_ns.empty())
    out["cpu_ratio"] = paired_ratio(measured.part.cpu_ns, measured.reference.cpu_ns).median;
  if (measured.floor.ns.empty()) return;
  out["floor_ns"] = median(measured.times(measured.floor));
  out["floor_ratio"] = paired_ratio(measured.times(measured.part), measured.times(measured.floor)).median;
}

Json case_json(const Row& row) {
  const Case& of = *row.of;
  const Measured& measured = row.outcome.measured;
  const bool done = measured.why_not.empty();
  Json out = {{"name", of.name}, {"what", of.what}, {"reference", of.reference.name}, {"threads", of.part.threads}};
  for (const char* key : {"ns", "reference_ns", "p50_ns", "p99_ns", "reference_p50_ns", "reference_p99_ns", "ratio",
                          "ratio_p10", "ratio_p90", "pairs", "cpu_ratio", "floor_ns", "floor_ratio"})
    out[key] = nullptr;
  if (done) add_times(measured, out);
  out["clock"] = !done ? Json() : Json(measured.cpu_time ? "thread_cpu" : "wall");
  out["slice_operations"] = done ? Json(measured.slice_operations) : Json();
  out["batch_operations"] = done ? Json(measured.batch_operations) : Json();
  out["limit"] = {{"ratio", or_null(of.limit.ratio)}, {"ns", or_null(of.limit.ns)}};
  if (of.method == Method::cold && done) {
    out["minor_faults"] = measured.part.minor_faults;
    out["threads_with_faults"] = measured.part.faulting;
    out["reference_minor_faults"] = measured.reference.minor_faults;
    out["allocations"] = or_null(measured.part.allocations);
    out["heap_bytes"] = measured.part.heap_bytes;
    out["recycled"] = {{"threads", measured.recycled.ns.size()},
                       {"p50_ns", measured.recycled.p50_ns},
                       {"p99_ns", measured.recycled.p99_ns},
                       {"minor_faults", measured.recycled.minor_faults}};
  }
  out["begun"] = done ? Json(measured.begun) : Json();
  out["recorded"] = out["lost"] = nullptr;
  if (row.outcome.counts) {
    out["recorded"] = row.outcome.counts->recorded;
    out["lost"] = row.outcome.counts->lost;
    for (unsigned cause = 0; cause < kLossCauses; ++cause)
      out["lost_by_cause"][kLossCauseNames[cause]] = row.outcome.counts->by_cause[cause];
  }
  out["why_not"] = done ? Json() : Json(measured.why_not);
  return out;
}

}  // namespace

Json scope_json(const Results& results) {
  std::string version;
  for (const Row& row : results.rows)
    if (!row.outcome.measured.runtime_version.empty()) version = row.outcome.measured.runtime_version;
  Json out = {{"schema", 1},
              {"bench", "scope"},
              {"machine", machine_json(results.machine)},
              {"library", {{"path", results.runtime}, {"version", version}}},
              {"seconds", results.seconds},
              {"pinned_to", results.cpus.empty() ? Json() : Json(results.cpus)}};
  Json cases = Json::array();
  for (const Row& row : results.rows) cases.push_back(case_json(row));
  out["cases"] = cases;
  return out;
}

}  // namespace tl::tlbench
