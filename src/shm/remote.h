// A living process's control page, shared with it: how one process asks something of another of the same user.
#pragma once

#include <cstdint>

#include "shm/layout.h"
#include "shm/requests.h"

namespace tl::shm {

class Remote {
 public:
  enum class Found { recorded, not_recorded, other_user, no_process };
  enum class Outcome { done, failed, at_first_record, nothing_to_flush, no_answer, busy };

  Remote() = default;
  ~Remote() { close(); }
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  // Not even root reaches into another user's process.
  Found open(std::uint32_t pid);
  // The recorded process that the tlrun of that id started; 0: none.
  static std::uint32_t started_by(std::uint32_t tlrun_pid);

  // Asks and waits for the answer. Two that ask at once take turns; both bounded by `patience_ns`. What found no answer
  // is withdrawn. `at_first_record`: the process has recorded nothing yet, and will do so then.
  Outcome ask(Request request, std::uint64_t patience_ns);

  const char* program() const { return control_->program; }

 private:
  void close();
  bool map(const char* name);
  bool lock(std::uint64_t give_up_ns);

  int fd_ = -1;
  Control* control_ = nullptr;
};

}  // namespace tl::shm
