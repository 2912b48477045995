// What dead processes left in shared memory: found, told from the living, and written into their dumps. No allocation
// and no exception, so that the next run's library can do it too.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dump/format.h"
#include "shm/collector.h"
#include "shm/view.h"

namespace tl::shm {

enum class Salvaged { nothing, written, unwritable };

// One shared memory file of this user, mapped whole. Closed by its destructor; never modifies a living process's file.
class Leftover {
 public:
  Leftover() = default;
  ~Leftover() { close(); }
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

  // False: no file of ours, of another user or version, of an earlier boot, or vanished meanwhile.
  bool open(const char* name_in_directory);
  void close();

  bool process_is_alive() const;
  View view() const { return View(base_, bytes_); }
  const Control& control() const { return *reinterpret_cast<const Control*>(base_); }
  const char* name() const { return name_; }
  void remove();  // the file; call it only once its records are safe elsewhere

 private:
  friend Salvaged salvage(Leftover&, dump::EndReason, int);
  bool lock();
  void map_again();
  void remove_stillborn(std::int64_t made_unix_seconds);

  char name_[256] = {};
  int fd_ = -1;
  unsigned char* base_ = nullptr;
  std::uint64_t bytes_ = 0;
};

// Whether that process is certainly no more, as far as somebody in this namespace, on this machine, can tell.
struct ProcessName {
  std::uint32_t pid;
  std::uint64_t start, pid_namespace;  // as the control page has them
  const unsigned char (&boot_id)[16];
};
bool has_gone(const ProcessName& process);

// Calls visit(context, leftover) for each shared memory file of this user, living or dead, until it returns false.
void for_each_leftover(bool (*visit)(void* context, Leftover&), void* context);

// Appends what a dead process left to its dump (creating it if need be), ends it with `reason` and `signal_number`, and
// only then removes the shared memory. `nothing`: the process had recorded nothing; the file is removed all the same.
// `unwritable`: the dump could not be written; everything stays where it is. Two salvagers do not harm each other
// (flock).
Salvaged salvage(Leftover& dead, dump::EndReason reason, int signal_number);

// The same blocks into a sink, for a reader that may not or cannot write the dump: nothing is changed or removed. Of a
// living process names, threads and counters only, since its rings are being emptied by its own drain.
// `with_header`: the dump has no file yet, so file header and process block come first.
bool snapshot(Leftover& process, bool with_header, Sink sink);

}  // namespace tl::shm
