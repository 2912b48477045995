#include "tlbench/second.h"

#include <utility>

#include "tlbench/slices.h"

namespace tl::tlbench {

Second::Second(const Work& like, const Plan& plan)
    : ring_(kFloorRecords), work_(std::make_unique<Work>(like)), thread_([this, &plan] { live(plan); }) {}

Second::~Second() {
  job_ = nullptr;
  start_.arrive_and_wait();
  thread_.join();
}

void Second::beside(Job second, const std::function<void()>& first) {
  job_ = std::move(second);
  start_.arrive_and_wait();
  first();
  end_.arrive_and_wait();
}

void Second::live(const Plan& plan) {
  pin(plan, 1);
  work_->ring = ring_.data();
  for (;;) {
    start_.arrive_and_wait();
    if (job_ == nullptr) return;
    job_(*work_);
    end_.arrive_and_wait();
  }
}

}  // namespace tl::tlbench
