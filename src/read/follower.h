// Follows a dump from before it is there until it ends: waits for the file, reads what is appended, goes on in the next
// part of a rotated dump, and begins anew where another dump takes the file's place. Opens files for reading only and
// takes no locks; where the program died, what it left is written into its dump, as any report does.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "read/dump.h"
#include "read/parts.h"

namespace tl::read {

class Follower {
 public:
  explicit Follower(std::string path) : path_(std::move(path)) {}

  enum class State { waiting, reading, ended };
  struct Step {
    State state = State::waiting;
    bool replaced = false;  // by another dump: everything begins anew with this step
    bool unmade = false;    // its program runs, and cannot make it
    std::string failure;    // why it never can be read
  };
  // What is new goes to `each`, after `begin_anew` where that is the case.
  Step step(const std::function<void(const RecordRun&)>& each, const std::function<void()>& begin_anew);

  // Of what was read so far; null while there is nothing.
  const Dump* dump() const { return dump_.get(); }

 private:
  std::string begin();
  bool go_on_in(const std::string& path, const std::function<void(const RecordRun&)>& each);
  std::string next_part() const;
  bool has_died();
  void look_for_unmade(Step& out);
  bool was_rewritten();

  std::string path_, reading_;  // as asked for, and the part of it
  std::unique_ptr<Dump> dump_;
  std::optional<PartOf> part_;  // of what is being read
  std::uint64_t bytes_ = 0;
  unsigned quiet_steps_ = 0;
  Source left_;  // by a dead program, where it cannot be put into its dump
};

}  // namespace tl::read
