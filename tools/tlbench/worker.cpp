#include "tlbench/worker.h"

#include <dlfcn.h>
#include <signal.h>
#include <telemetry/telemetry.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/message.h"
#include "dump/lanes.h"
#include "os/file.h"
#include "tlbench/clocks.h"
#include "tlbench/cold.h"
#include "tlbench/encoding.h"
#include "tlbench/slices.h"
#include "tlbench/stretch.h"

namespace tl::tlbench {

namespace {

// After the first record, so that the drain is alive and has made what it makes at its start.
constexpr auto kDrainSettles = std::chrono::milliseconds(50);
constexpr auto kTickLengthSettles = std::chrono::milliseconds(10);

void ask_to_stop(int) { stop_asked = 1; }

bool library_has(const char* call) { return dlsym(RTLD_DEFAULT, call) != nullptr; }

std::string missing_for(const Case& of) {
  if (!of.in_every_cpu && dump::avx2_lanes() == nullptr) return "this processor or its kernel has no AVX2";
  std::string missing;
  for (const char* call : of.calls)
    if (!library_has(call)) missing += std::string(missing.empty() ? "" : ", ") + call;
  return missing.empty() ? "" : "not in this library: " + missing;
}

// Registered by name, as a program does; without the library each is 0, and a call is what the header makes of it.
void register_ids(Work& work) {
  for (std::size_t i = 0; i < kIds; ++i) work.ids[i] = tl_scope_register(("scope " + std::to_string(i)).c_str());
}

// Around their medians, as lopsided as times are.
void make_stages(StageTimes& stages) {
  constexpr double kMedianNs[] = {300, 700, 1200}, kSpread = 0.4;
  const TickLength length;
  std::this_thread::sleep_for(kTickLengthSettles);
  const double ticks_per_ns = 1 / length.ns_per_tick();
  stages.item_ticks = static_cast<std::uint64_t>(kItemNs * ticks_per_ns);
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> times(0, kSpread);
  for (auto& item : stages.ticks)
    for (unsigned stage = 0; stage < std::size(kMedianNs); ++stage)
      item[stage] = static_cast<std::uint32_t>(kMedianNs[stage] * times(random) * ticks_per_ns);
}

Measured measure(const Case& of, const Plan& plan) {
  Measured measured;
  measured.runtime_version = tl_version();
  if (of.with_library != library_has("tl_scope_begin"))
    throw std::runtime_error("the library is not as this case wants it");
  measured.why_not = missing_for(of);
  if (!measured.why_not.empty()) return measured;

  std::vector<FloorRecord> ring(kFloorRecords);  // written here, so that no page of it is met later
  const auto work = std::make_unique<Work>();
  work->ring = ring.data();
  register_ids(*work);
  const auto stages = std::make_unique<StageTimes>();
  work->stages = stages.get();
  if (of.method == Method::paced || of.encodes) make_stages(*stages);
  if (of.with_library) {
    scope_fast(*work, 1);
    ++measured.begun;
    std::this_thread::sleep_for(kDrainSettles);
  }
  pin(plan, 0);  // only now: the drain may inherit the CPUs of the thread that makes the first record
  std::unique_ptr<Encoding> encoding;
  if (of.encodes) {
    encoding = std::make_unique<Encoding>();
    work->encoding = encoding.get();
    record_what_to_encode(*work, *encoding);
  }
  if (stop_asked) return measured;
  switch (of.method) {
    case Method::slices:
      measure_slices(of, plan, *work, measured);
      if (of.part.operation == scope_next) tl_scope_next(0);  // the last stage is open
      break;
    case Method::paused:
      tl_pause();
      measure_slices(of, plan, *work, measured);
      tl_resume();
      break;
    case Method::cold:
      measure_cold(of, plan, *work, measured);
      break;
    case Method::stretch:
      measure_stretch(of, plan, *work, measured);
      break;
    case Method::beside:
    case Method::program:
      throw std::runtime_error("this case has other processes");
    case Method::paced:
      run_paced(of, plan, *work, measured);
      break;
  }
  return measured;
}

}  // namespace

int work(const std::vector<std::string>& arguments) {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);  // who asked is gone: the dump is ended in order all the same

  const auto asked = nlohmann::json::parse(arguments.at(1));
  const Suite* suite = find_suite(asked.at("suite").get<std::string>());
  const Case* of = suite == nullptr ? nullptr : find_case(*suite, asked.at("case").get<std::string>());
  if (of == nullptr) throw std::runtime_error("there is no such case");
  const Plan plan{asked.at("seconds").get<double>(), asked.at("cpus").get<std::vector<int>>()};
  const std::string result = to_json(measure(*of, plan)).dump();
  return os::write_all(asked.at("descriptor").get<int>(), result.data(), result.size()) < 0 ? 1 : 0;
}

}  // namespace tl::tlbench
