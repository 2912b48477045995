#include "drain/requests.h"

#include "clock/tsc.h"
#include "drain/drain.h"
#include "record/process.h"
#include "record/requests.h"

namespace tl::drain {

namespace {

constexpr std::uint64_t kPatienceToFlushNs = 1'000'000'000;  // a dump that cannot be written now will not be soon

struct Flush {
  bool running;
  std::uint32_t wanted;
  std::uint64_t give_up_ns;
};
constinit Flush flush_asked{};

// One that runs is answered once the rounds after it have written all, or did not.
void go_on_with_flush() {
  const Flushed flushed = is_flushed(flush_asked.wanted);
  if (flushed == Flushed::not_yet && clock::raw_ns() < flush_asked.give_up_ns) return;
  flush_asked.running = false;
  record::answer_request(flushed == Flushed::done ? shm::Answer::done : shm::Answer::failed);
}

}  // namespace

bool serve_requests() {
  if (flush_asked.running) return go_on_with_flush(), true;
  const shm::Request request = record::take_request();
  if (request == shm::Request::nothing) return false;
  if (record::obey(request)) return true;
  if (request != shm::Request::flush)
    record::answer_request(shm::Answer::failed);
  else if (!record::process.recorded.load(std::memory_order_relaxed))
    record::answer_request(shm::Answer::done);
  else
    flush_asked = {true, ask_for_flush(), clock::raw_ns() + kPatienceToFlushNs};
  return true;
}

void forget_requests() {
  flush_asked = {};
  record::forget_requests();
}

}  // namespace tl::drain
