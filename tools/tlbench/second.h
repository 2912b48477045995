// A second thread that records when, and while, the first does.
#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "tlbench/measured.h"
#include "tlbench/timed.h"

namespace tl::tlbench {

class Second {
 public:
  using Job = std::function<void(Work&)>;

  // On the second of the plan's CPUs, with work like the first's.
  Second(const Work& like, const Plan& plan);
  ~Second();
  Second(const Second&) = delete;
  Second& operator=(const Second&) = delete;

  // Both begin at once; returns when both are done.
  void beside(Job second, const std::function<void()>& first);

 private:
  void live(const Plan& plan);

  std::vector<FloorRecord> ring_;
  std::unique_ptr<Work> work_;
  std::barrier<> start_{2}, end_{2};
  Job job_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace tl::tlbench
