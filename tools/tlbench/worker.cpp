#include "tlbench/worker.h"

#include <dlfcn.h>
#include <signal.h>
#include <telemetry/telemetry.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/message.h"
#include "os/file.h"
#include "tlbench/cold.h"
#include "tlbench/slices.h"

namespace tl::tlbench {

namespace {

// After the first record, so that the drain is alive and has made what it makes at its start.
constexpr auto kDrainSettles = std::chrono::milliseconds(50);

void ask_to_stop(int) { stop_asked = 1; }

bool library_has(const char* call) { return dlsym(RTLD_DEFAULT, call) != nullptr; }

std::string missing_calls(const Case& of) {
  std::string missing;
  for (const char* call : of.calls)
    if (!library_has(call)) missing += std::string(missing.empty() ? "" : ", ") + call;
  return missing.empty() ? "" : "not in this library: " + missing;
}

// Registered by name, as a program does; without the library each is 0, and a call is what the header makes of it.
void register_ids(Work& work) {
  for (std::size_t i = 0; i < kIds; ++i) work.ids[i] = tl_scope_register(("scope " + std::to_string(i)).c_str());
}

Measured measure(const Case& of, const Plan& plan) {
  Measured measured;
  measured.runtime_version = tl_version();
  if (of.with_library != library_has("tl_scope_begin"))
    throw std::runtime_error("the library is not as this case wants it");
  measured.why_not = missing_calls(of);
  if (!measured.why_not.empty()) return measured;

  std::vector<FloorRecord> ring(kFloorRecords);  // written here, so that no page of it is met later
  const auto work = std::make_unique<Work>();
  work->ring = ring.data();
  register_ids(*work);
  if (of.with_library) {
    scope_fast(*work, 1);
    ++measured.begun;
    std::this_thread::sleep_for(kDrainSettles);
  }
  pin(plan, 0);  // only now: the drain may inherit the CPUs of the thread that makes the first record
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
  const Case* of = find_case(asked.at("case").get<std::string>());
  if (of == nullptr) throw std::runtime_error("there is no such case");
  const Plan plan{asked.at("seconds").get<double>(), asked.at("cpus").get<std::vector<int>>()};
  const std::string result = to_json(measure(*of, plan)).dump();
  return os::write_all(asked.at("descriptor").get<int>(), result.data(), result.size()) < 0 ? 1 : 0;
}

}  // namespace tl::tlbench
