#include "record/requests.h"

#include <atomic>

#include "record/gate.h"
#include "record/process.h"

namespace tl::record {

using shm::Answer;
using shm::Request;

namespace {

// The words as far as this process has come: here, since what lies in shared memory others may write.
constinit std::atomic<std::uint32_t> taken{0}, answered{0};

}  // namespace

Request take_request() {
  const std::uint32_t asked = process.control->asked.load();  // pairs with who asks, and looks at `attended`
  std::uint32_t before = taken.load();
  if (asked == before || answered.load() != before) return Request::nothing;
  if (!taken.compare_exchange_strong(before, asked)) return Request::nothing;
  const Request request = shm::request_of(asked);
  if (request == Request::nothing) answer_request(Answer::done);  // one that was withdrawn
  return request;
}

void answer_request(Answer answer) {
  const std::uint32_t word = taken.load();
  process.control->answer.store(static_cast<std::uint32_t>(answer), std::memory_order_relaxed);
  process.control->answered.store(word, std::memory_order_release);  // pairs with who asked
  answered.store(word);
}

void forget_requests() {
  taken.store(0);
  answered.store(0);
}

bool obey(Request request) {
  if (request != Request::pause && request != Request::resume) return false;
  if (request == Request::pause)
    pause();
  else
    resume();
  answer_request(Answer::done);
  return true;
}

bool is_paused_before_first_record() {
  if (process.recorded.load(std::memory_order_relaxed)) return false;
  process.control->attended.store(1);
  const Request request = take_request();
  // A flush that was asked for before anything was recorded has nothing to wait for.
  if (request != Request::nothing && !obey(request)) answer_request(Answer::done);
  return is_paused();
}

}  // namespace tl::record
