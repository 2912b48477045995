#include "tlbench/beside.h"

#include <unistd.h>

#include "cli/library.h"
#include "tlbench/child.h"
#include "tlbench/looper.h"

namespace tl::tlbench {

namespace {

// No ring fills meanwhile: long enough that its first calls do not count, and short, so that there are many.
constexpr double kSliceSeconds = 0.005;
constexpr const char* kForwarder = "tlbench_forwarder.so";
}  // namespace

Outcome run_beside(const Case& of, const Plan& plan, const std::string& library, const std::string& dump) {
  Outcome outcome;
  Measured& measured = outcome.measured;
  const std::string forwarder = cli::own_directory() + "/" + kForwarder;
  if (access(forwarder.c_str(), R_OK) != 0) {
    measured.why_not = std::string(kForwarder) + " is not beside this tool";
    return outcome;
  }
  const unsigned threads = of.part.threads;
  Looper with(Looper::Under::library, threads, plan.cpus, environment_under(library, dump, of.alloc));
  Looper reference(Looper::Under::forwarder, threads, plan.cpus, environment_under(forwarder));
  Looper without(Looper::Under::nothing, threads, plan.cpus, clean_environment());

  const auto lane = [](Series& series, Looper& looper) {
    return Lane{series, [&looper](std::vector<std::uint64_t>& ticks) { return looper.take(ticks); }};
  };
  std::vector<Lane> lanes = {lane(measured.reference, reference), lane(measured.part, with),
                             lane(measured.floor, without)};
  measured.runtime_version = with.version();
  measured.cpu_time = threads > 1;
  take_in_turn(lanes, plan.seconds, kSliceSeconds, measured);
  measured.begun = 2 * with.operations();
  for (Looper* looper : {&with, &reference, &without})
    if (const std::string bad = looper->end(); !bad.empty()) outcome.failure = bad;
  if (outcome.failure.empty() && interrupted == 0)
    check_calls(dump, {threads, kAllocatedBytes, of.alloc == "time"}, outcome);
  return outcome;
}

}  // namespace tl::tlbench
