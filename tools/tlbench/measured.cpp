#include "tlbench/measured.h"

#include <nlohmann/json.hpp>

namespace tl::tlbench {

namespace {

nlohmann::json series_to_json(const Series& series) {
  nlohmann::json allocations;
  if (series.allocations) allocations = *series.allocations;
  return {{"ns", series.ns},
          {"cpu_ns", series.cpu_ns},
          {"p50_ns", series.p50_ns},
          {"p99_ns", series.p99_ns},
          {"minor_faults", series.minor_faults},
          {"faulting", series.faulting},
          {"heap_bytes", series.heap_bytes},
          {"allocations", allocations}};
}

Series series_from_json(const nlohmann::json& json) {
  Series series;
  json.at("ns").get_to(series.ns);
  json.at("cpu_ns").get_to(series.cpu_ns);
  json.at("p50_ns").get_to(series.p50_ns);
  json.at("p99_ns").get_to(series.p99_ns);
  json.at("minor_faults").get_to(series.minor_faults);
  json.at("faulting").get_to(series.faulting);
  json.at("heap_bytes").get_to(series.heap_bytes);
  if (!json.at("allocations").is_null()) series.allocations = json.at("allocations").get<std::uint64_t>();
  return series;
}

}  // namespace

nlohmann::json to_json(const Measured& measured) {
  return {{"why_not", measured.why_not},
          {"runtime_version", measured.runtime_version},
          {"cpu_time", measured.cpu_time},
          {"in_turn", measured.in_turn},
          {"slice_operations", measured.slice_operations},
          {"batch_operations", measured.batch_operations},
          {"begun", measured.begun},
          {"stretch_begun", measured.stretch_begun},
          {"stretch_seconds", measured.stretch_seconds},
          {"idle_seconds", measured.idle_seconds},
          {"part", series_to_json(measured.part)},
          {"reference", series_to_json(measured.reference)},
          {"floor", series_to_json(measured.floor)},
          {"recycled", series_to_json(measured.recycled)}};
}

Measured from_json(const nlohmann::json& json) {
  Measured measured;
  json.at("why_not").get_to(measured.why_not);
  json.at("runtime_version").get_to(measured.runtime_version);
  json.at("cpu_time").get_to(measured.cpu_time);
  json.at("in_turn").get_to(measured.in_turn);
  json.at("slice_operations").get_to(measured.slice_operations);
  json.at("batch_operations").get_to(measured.batch_operations);
  json.at("begun").get_to(measured.begun);
  json.at("stretch_begun").get_to(measured.stretch_begun);
  json.at("stretch_seconds").get_to(measured.stretch_seconds);
  json.at("idle_seconds").get_to(measured.idle_seconds);
  measured.part = series_from_json(json.at("part"));
  measured.reference = series_from_json(json.at("reference"));
  measured.floor = series_from_json(json.at("floor"));
  measured.recycled = series_from_json(json.at("recycled"));
  return measured;
}

}  // namespace tl::tlbench
