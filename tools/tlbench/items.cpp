// Items of stages at a rate of their own, through the library and through the same code undrained.

#include <telemetry/telemetry.h>

#include "tlbench/timed.h"
#include "tlbench/undrained.h"

namespace tl::tlbench {

namespace {

struct Library {
  static void begin(std::uint32_t id) { tl_scope_begin(id); }
  static void end(std::uint32_t id) { tl_scope_end(id); }
};
struct Undrained {
  static void begin(std::uint32_t id) { undrained_calls.begin(id); }
  static void end(std::uint32_t id) { undrained_calls.end(id); }
};

void wait_until(std::uint64_t ticks) {
  while (static_cast<std::int64_t>(ticks_now() - ticks) < 0) continue;
}
void be_busy(std::uint64_t ticks) { wait_until(ticks_now() + ticks); }

struct FourIds {
  static std::uint32_t next(Work& work, unsigned stage) { return work.ids[stage]; }
};
struct ManyIds {
  static std::uint32_t next(Work& work, unsigned) {
    work.random = work.random * 6364136223846793005u + 1442695040888963407u;
    return work.ids[(work.random >> 33) % kIds];
  }
};

template <class Calls, class Ids>
void run_item(Work& work, const std::uint32_t* ticks) {
  const std::uint32_t whole = Ids::next(work, 0);
  Calls::begin(whole);
  for (unsigned stage = 1; stage < kNestedStages; ++stage) {
    const std::uint32_t id = Ids::next(work, stage);
    Calls::begin(id);
    be_busy(ticks[stage - 1]);
    Calls::end(id);
  }
  Calls::end(whole);
}

// An item that comes late is made up for, as in a program whose input waits for it.
template <class Calls, class Ids>
void run_items(Work& work, std::uint32_t count) {
  if (work.due_ticks == 0) work.due_ticks = ticks_now();
  for (; count != 0; --count) {
    wait_until(work.due_ticks);
    work.due_ticks += work.stages->item_ticks;
    run_item<Calls, Ids>(work, work.stages->ticks[work.items++ % StageTimes::kItems]);
  }
}

}  // namespace

void record_stages(Work& work, std::uint32_t items) { run_items<Library, FourIds>(work, items); }
void record_ids1000(Work& work, std::uint32_t items) { run_items<Library, ManyIds>(work, items); }
void undrained_stages(Work& work, std::uint32_t items) { run_items<Undrained, FourIds>(work, items); }
void undrained_ids1000(Work& work, std::uint32_t items) { run_items<Undrained, ManyIds>(work, items); }

}  // namespace tl::tlbench
