// A dump that is being written, in numbers: what it holds so far and what came in the last interval. Memory: two
// histograms for each scope, of all threads together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/report.h"
#include "read/dump.h"

namespace tl::analyze {

struct LiveRow {
  std::string name;
  Latency total, interval;
};

struct LiveView {
  std::uint64_t interval = 0;     // from 1
  std::optional<double> seconds;  // none: the first, which takes in what was there already
  std::optional<ProcessFacts> process;
  std::optional<std::uint32_t> part;  // of a rotated dump
  TimeUnit unit = TimeUnit::ns;
  std::uint64_t records = 0, elsewhere = 0;  // the latter in parts that were overwritten before they were read
  std::vector<LiveRow> scopes;               // most time first
  Losses losses;
  std::vector<std::string> warnings;  // of the recorder, so far
  bool out_of_room = false;           // records are being dropped; how many is told when there is room, or at the end
  std::vector<std::string> partial;   // once it has ended: why it is not whole
  bool ended = false;
};

class LiveTimes {
 public:
  void take(const read::RecordRun& run);
  // Closes the interval. `seconds`: since the one before; `scope`: empty for all names.
  LiveView view(const read::Dump& dump, std::optional<double> seconds,
                const std::function<bool(const std::string&)>& scope, bool ended);

 private:
  struct Cell {
    hist::Histogram total, interval;  // in ticks
  };
  std::unique_ptr<Arena> all_ = std::make_unique<Arena>(), lately_ = std::make_unique<Arena>(), before_;
  std::map<std::uint16_t, Cell> cells_;
  std::uint64_t intervals_ = 0;
};

}  // namespace tl::analyze
