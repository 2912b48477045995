// The TL_ environment variables: one table for the library that obeys them, TL_HELP that prints them and tlrun whose
// options they are. A variable of the interface that this version does not serve yet is listed as not available, so
// that it is refused with the same words everywhere.
#pragma once

#include <cstddef>
#include <string_view>

namespace tl {

struct Setting {
  std::string_view name;
  std::string_view accepted;  // the default comes first
  std::string_view meaning;
  bool available;
};

constexpr Setting kSettings[] = {
    {"TL_OUTPUT", "telemetry.%e.%p.%t.tl, or a path with %e program, %p pid, %t start, %h host, %% percent",
     "where the dump goes; an existing file is never overwritten, .1, .2, ... is added", true},
    {"TL_ALLOC", "count, off, time", "count allocation calls exactly; time: also the time inside each", true},
    {"TL_PIN",
     "empty, or pattern=cpus[,...]; pattern: glob of a thread's name, or #n in the order of creation; cpus: 2, 2-3, "
     "2+4",
     "pin threads to CPUs; the first pattern that matches counts", true},
    {"TL_RING", "1048576, or another power of two from 1024", "most records that a thread's ring may grow to", true},
    {"TL_RING_POOL", "64MiB, or another size", "ring memory of the process beyond each thread's first 1,024 records",
     true},
    {"TL_SIZE", "0, or a size from 64KiB", "where a dump stops and counts what it does not hold as lost; 0: nowhere",
     true},
    {"TL_ROTATE", "0, or files from 1 to 128",
     "at TL_SIZE a dump goes on in a next file, .1, .2, ...; so many are kept, and the oldest is removed", true},
    {"TL_CLOCK", "auto, os", "os: stamps from clock_gettime even where the processor's counter is fit", true},
    {"TL_FOLLOW", "1, 0 (tlrun adds :PID:START of the program that it starts)",
     "1: record child processes too, each in a dump of its own; 0: only the program that tlrun starts, also what it "
     "becomes by exec. Without tlrun, 0 leaves out forked children, and programs whose ancestors up to a recorded one "
     "still live",
     true},
    {"TL_ONLY", "empty, or names of programs[,...] with * and ?, as %e of TL_OUTPUT has them",
     "record programs of these names only; others run as with TL_DISABLE=1, and their children are judged by their own",
     true},
    {"TL_DISABLE", "0, 1", "1: load and do nothing", true},
    {"TL_HELP", "0, 1", "1: print this table, then run the program", true},
    {"TL_ALLOC_SAMPLE", "", "mean bytes between sampled stacks", false},
    {"TL_HOT", "", "threads or scopes that must not allocate", false},
    {"TL_HOT_ACTION", "", "what a breach of TL_HOT does", false},
    {"TL_HOT_IGNORE", "", "what TL_HOT passes over", false},
    {"TL_TURNS", "", "event-loop turns as implicit scopes", false},
    {"TL_KERNEL", "", "switches, migrations and page faults", false},
    {"TL_LOCKS", "", "contended waits", false},
    {"TL_KEEP", "", "what is kept of the records", false},
    {"TL_TRIGGER", "", "what fires the flight recorder", false},
    {"TL_HISTORY", "", "records kept around a trigger", false},
    {"TL_TRIGGER_RATE", "", "how often a trigger may fire", false},
    {"TL_INTERVAL", "", "window of interval histograms", false},
    {"TL_LOG", "", "how much the library says", false},
    {"TL_LOG_FILE", "", "where the library's messages also go", false},
    {"TL_FUNCTIONS", "", "instrumented functions that become scopes", false},
    {"TL_BASELINE", "", "a saved tlprobe to embed", false},
    {"TL_TREAT", "", "treatments of tlrun --treat", false},
};

constexpr const Setting* find_setting(std::string_view name) {
  for (const Setting& setting : kSettings)
    if (setting.name == name) return &setting;
  return nullptr;
}

}  // namespace tl
