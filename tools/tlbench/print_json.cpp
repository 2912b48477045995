#include <nlohmann/json.hpp>

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
          {"dumps_on", or_null(machine.dumps_on)},
          {"load", or_null(machine.load)}};
}

Json limit_json(const Limit& limit) {
  return {{"ratio", or_null(limit.ratio)},
          {"ns", or_null(limit.ns)},
          {"share_of_flat_out", or_null(limit.share_of_flat_out)},
          {"bytes_per_record", or_null(limit.bytes_per_record)},
          {"records_per_s", or_null(limit.records_per_s)},
          {"lost", or_null(limit.lost)}};
}

void add_figures(const Figures& figures, Json& out) {
  out["ns"] = or_null(figures.ns);
  out["reference_ns"] = or_null(figures.reference_ns);
  out["p50_ns"] = or_null(figures.p50_ns);
  out["p99_ns"] = or_null(figures.p99_ns);
  out["reference_p50_ns"] = or_null(figures.reference_p50_ns);
  out["reference_p99_ns"] = or_null(figures.reference_p99_ns);
  out["ratio"] = or_null(figures.ratio);
  out["ratio_p10"] = or_null(figures.ratio_p10);
  out["ratio_p90"] = or_null(figures.ratio_p90);
  out["pairs"] = or_null(figures.pairs);
  out["cpu_ratio"] = or_null(figures.cpu_ratio);
  out["floor_ns"] = or_null(figures.floor_ns);
  out["floor_ratio"] = or_null(figures.floor_ratio);
  out["share_of_flat_out"] = or_null(figures.share_of_flat_out);
  out["bytes_per_record"] = or_null(figures.bytes_per_record);
  out["records_per_s"] = or_null(figures.records_per_s);
}

Json case_json(const Row& row) {
  const Case& of = *row.of;
  const Measured& measured = row.outcome.measured;
  const bool done = measured.why_not.empty(), timed = !measured.part.ns.empty();
  Json out = {{"name", of.name},
              {"what", of.what},
              {"reference", of.reference.name.empty() ? Json() : Json(of.reference.name)},
              {"threads", of.part.threads}};
  add_figures(figures_of(row), out);
  out["clock"] = !timed ? Json() : Json(measured.cpu_time ? "thread_cpu" : "wall");
  out["slice_operations"] = timed ? Json(measured.slice_operations) : Json();
  out["batch_operations"] = timed ? Json(measured.batch_operations) : Json();
  out["stretch_seconds"] = measured.stretch_seconds > 0 ? Json(measured.stretch_seconds) : Json();
  out["idle_seconds"] = measured.stretch_seconds > 0 ? Json(measured.idle_seconds) : Json();
  out["limit"] = limit_json(of.limit);
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
  const bool counted_elsewhere = of.method != Method::program;  // nobody else knows what a program did
  out["begun"] = done && counted_elsewhere ? Json(measured.begun) : Json();
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

Json suite_json(const Results& results) {
  std::string version;
  for (const Row& row : results.rows)
    if (!row.outcome.measured.runtime_version.empty()) version = row.outcome.measured.runtime_version;
  Json out = {{"schema", 1},
              {"bench", results.suite->name},
              {"machine", machine_json(results.machine)},
              {"library", {{"path", results.runtime}, {"version", version}}},
              {"seconds", results.seconds},
              {"pinned_to", results.cpus.empty() ? Json() : Json(results.cpus)}};
  Json cases = Json::array();
  for (const Row& row : results.rows) cases.push_back(case_json(row));
  out["cases"] = cases;
  out["not_available"] = results.suite->later;
  return out;
}

}  // namespace tl::tlbench
