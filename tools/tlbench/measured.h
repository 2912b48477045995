// What a worker process measured, and how it travels to the process that asked for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tl::tlbench {

// How a worker is to measure.
struct Plan {
  double seconds = 1;     // of measuring; start and end come on top
  std::vector<int> cpus;  // of its recording threads, in turn; empty: wherever the kernel puts them
};

struct Series {
  std::vector<double> ns;                         // an operation's, the mean of each slice; or of each single one
  std::vector<double> cpu_ns;                     // of the same slices, by the clock of the threads' CPU time
  double p50_ns = 0, p99_ns = 0;                  // of batches of operations; or of single ones
  std::uint64_t minor_faults = 0;                 // from here on of single ones: taken by all of them
  std::uint64_t faulting = 0;                     // how many of them took any
  std::int64_t heap_bytes = 0;                    // that the heap grew
  std::optional<std::uint64_t> allocations = {};  // calls, as the library counts them; none: it does not tell
};

struct Measured {
  std::string why_not;  // empty, or why there is nothing: the library lacks a call
  std::string runtime_version;
  bool cpu_time = false;               // what counts is cpu_ns: threads that run at once are not compared by the wall
  bool in_turn = true;                 // slices of part and reference were taken in pairs
  std::uint64_t slice_operations = 0;  // 1: single ones
  std::uint64_t batch_operations = 0;
  std::uint64_t begun = 0;          // scopes that the library was asked to record, from the process's first on
  std::uint64_t stretch_begun = 0;  // of them in a stretch without a break, and how long that was
  double stretch_seconds = 0;
  double idle_seconds = 0;  // in which nothing was recorded before it
  Series part, reference, floor;
  Series recycled;  // of single ones: threads that may have got what an ended one left

  // The times that count.
  const std::vector<double>& times(const Series& series) const { return cpu_time ? series.cpu_ns : series.ns; }
};

nlohmann::json to_json(const Measured& measured);
// Throws where it is not one.
Measured from_json(const nlohmann::json& json);

}  // namespace tl::tlbench
