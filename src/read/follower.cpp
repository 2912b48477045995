#include "read/follower.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "read/locate.h"
#include "shm/salvage.h"

namespace tl::read {

namespace {

constexpr unsigned kQuietSteps = 4;  // without news, until it is looked whether the program lives

// Whether there is something to begin with, or why there never will be.
bool is_there(const std::string& path, std::string& failure) {
  Source source;
  const std::string why = source.open(path);
  if (why.empty()) return source.size() >= sizeof(dump::FileHeader);
  if (why != std::strerror(ENOENT)) failure = why;
  return false;
}

}  // namespace

std::string Follower::begin() {
  auto dump = std::make_unique<Dump>();
  const std::string failure = dump->begin_live(path_);
  if (!failure.empty()) return failure;
  dump_ = std::move(dump);
  reading_ = path_;
  part_ = part_of(path_);
  bytes_ = 0;
  return {};
}

Follower::Step Follower::step(const std::function<void(const RecordRun&)>& each,
                              const std::function<void()>& begin_anew) {
  Step out;
  if (!dump_) {
    if (!is_there(path_, out.failure)) return look_for_unmade(out), out;
    out.failure = begin();
    if (!out.failure.empty()) return out;
  }
  out.state = State::reading;
  const bool rewritten = was_rewritten();
  if (!rewritten) dump_->read_on(each);
  if (!part_) part_ = part_of(reading_);  // its beginning may have been half written
  // A part that has its successor is read to its end first.
  const auto& end = dump_->facts().end;
  const bool continued = end && end->reason == EndReason::continued;
  if (const std::string next = continued ? next_part() : ""; !next.empty()) {
    go_on_in(next, each);
  } else if (end && !continued) {
    out.state = State::ended;
  } else if (rewritten || dump_->live_file_moved()) {
    if (!is_there(reading_, out.failure) || go_on_in(reading_, each)) return out;
    out.failure = begin();
    if (!out.failure.empty()) return out;
    out.replaced = true;
    begin_anew();
    dump_->read_on(each);
  } else if (has_died()) {
    dump_->read_on(each);
    if (left_.size() > 0) dump_->read_left(std::move(left_), each);
    out.state = State::ended;
  }
  if (out.state == State::ended) dump_->end_live();
  return out;
}

// In place, since the last step: another dump, or a later part of this one.
bool Follower::was_rewritten() {
  if (dump_->live_file_rewritten()) return true;
  if (!part_ || dump_->live_file_moved()) return false;
  const std::optional<PartOf> now = part_of(reading_);
  return now && now->part.number != part_->part.number;
}

// A later part of the same dump; false: the file is something else.
bool Follower::go_on_in(const std::string& path, const std::function<void(const RecordRun&)>& each) {
  const std::optional<PartOf> next = part_of(path);
  if (!part_ || !next || !next->same_dump(*part_) || next->part.number <= part_->part.number) return false;
  if (!dump_->begin_live(path).empty()) return false;
  reading_ = path;
  part_ = next;
  bytes_ = 0;
  dump_->read_on(each);
  return true;
}

// The parts of a dump lie side by side, and their names begin alike.
std::string Follower::next_part() const {
  if (!part_) return {};
  const std::filesystem::path current = reading_;
  std::string stem = std::filesystem::path(path_).filename();
  const std::size_t dot = stem.find_last_not_of("0123456789");
  if (dot != std::string::npos && dot > 0 && stem[dot] == '.') stem.resize(dot);
  std::error_code ignored;
  const std::filesystem::path folder = current.has_parent_path() ? current.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().rfind(stem, 0) != 0) continue;
    const std::optional<PartOf> of = part_of(entry.path());
    if (of && of->same_dump(*part_) && of->part.number == part_->part.number + 1) return entry.path();
  }
  return {};
}

// A program that has recorded something and cannot write it; looked for now and then.
void Follower::look_for_unmade(Step& out) {
  if (quiet_steps_++ % kQuietSteps != 0 || !out.failure.empty()) return;
  Located located;
  if (!locate(path_, located).empty() || located.has_file) return;
  out.unmade = located.running;
  if (!located.running)
    out.failure = "its program has ended and could not write it; 'tlreport " + path_ + "' reads what it left in memory";
}

// Looks only when nothing came for a while. What a dead program left is in the file or in `left_` afterwards.
bool Follower::has_died() {
  const std::uint64_t bytes = dump_->bytes();
  if (bytes != bytes_) quiet_steps_ = 0;
  bytes_ = bytes;
  if (++quiet_steps_ < kQuietSteps) return false;
  quiet_steps_ = 0;
  Located located;
  if (!locate(reading_, located).empty() || located.running) return false;
  left_ = std::move(located.memory);
  const auto& process = dump_->facts().process;
  if (left_.size() > 0 || !process) return left_.size() > 0;
  unsigned char boot_id[16];
  std::copy(process->boot_id.begin(), process->boot_id.end(), boot_id);
  return shm::has_gone({process->pid, process->process_start, process->pid_namespace, boot_id});
}

}  // namespace tl::read
