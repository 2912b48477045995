#include "tlrun/control.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/text.h"
#include "shm/remote.h"
#include "tlrun/place.h"

namespace tlrun {

namespace {

using tl::shm::Remote;
using tl::shm::Request;

constexpr std::uint64_t kPatienceNs = 2'000'000'000;

struct Command {
  const char* name;
  Request request;
  const char* done;
  const char* at_first_record;
};
constexpr Command kCommands[] = {
    {"pause", Request::pause, "recording is paused", "it stays paused from its first record on"},
    {"resume", Request::resume, "recording goes on", "it records from its first record on"},
    {"flush", Request::flush, "all that it recorded before is in its dump", ""},
};

const Command* find_command(const std::string& name) {
  for (const Command& command : kCommands)
    if (name == command.name) return &command;
  return nullptr;
}

bool parse_pid(std::string_view text, std::uint32_t& pid) {
  std::uint64_t number;
  if (!tl::parse_decimal(text, number) || !text.empty() || number == 0 || number > INT32_MAX) return false;
  pid = static_cast<std::uint32_t>(number);
  return true;
}

const char* why_not(Remote::Found found) {
  switch (found) {
    case Remote::Found::no_process:
      return "there is no such process";
    case Remote::Found::other_user:
      return "it is recorded for another user";
    default:
      return "it is not being recorded";
  }
}

const char* why_not(Remote::Outcome outcome) {
  switch (outcome) {
    case Remote::Outcome::busy:
      return "another tlrun --control has been waiting for its answer for 2 s";
    case Remote::Outcome::no_answer:
      return "it did not answer within 2 s, so the request was withdrawn";
    default:
      return "its dump cannot be written";
  }
}

}  // namespace

std::string control(const std::string& pid_text, const std::string& command_name, bool& good) {
  good = false;
  const std::string where = fmt::format("--control {} {}", quoted(pid_text), quoted(command_name));
  const Command* command = find_command(command_name);
  if (command_name == "trigger" || command_name.rfind("keep=", 0) == 0)
    return where + " is not available in version " TL_VERSION "; accepted: pause, resume, flush";
  if (command == nullptr) return where + ": no such command; accepted: pause, resume, flush";
  std::uint32_t pid;
  if (!parse_pid(pid_text, pid)) return where + ": no process id; accepted: that of a process that is being recorded";
  Remote remote;
  Remote::Found found = remote.open(pid);
  const std::uint32_t child = found == Remote::Found::not_recorded ? Remote::started_by(pid) : 0;
  if (child != 0) found = remote.open(child);
  if (found != Remote::Found::recorded)
    return fmt::format("{}: {}; accepted: the id of a process that is being recorded for this user", where,
                       why_not(found));
  const std::string who = child == 0
                              ? fmt::format("process {} ({})", pid, quoted(remote.program()))
                              : fmt::format("process {} ({}, started by {})", child, quoted(remote.program()), pid);
  const Remote::Outcome outcome = remote.ask(command->request, kPatienceNs);
  good = true;
  switch (outcome) {
    case Remote::Outcome::done:
      return fmt::format("{}: {}", who, command->done);
    case Remote::Outcome::at_first_record:
      return fmt::format("{} has no record of a scope or its kin yet: {}", who, command->at_first_record);
    case Remote::Outcome::nothing_to_flush:
      return fmt::format("{} has no record of a scope or its kin yet: there is nothing to flush", who);
    default:
      good = false;
      return fmt::format("{}: {}; accepted: a process that runs and can write its dump", where, why_not(outcome));
  }
}

}  // namespace tlrun
