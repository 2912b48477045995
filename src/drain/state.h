// What the drain's thread and those who ask something of it share. Of this folder alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "dump/format.h"
#include "shm/dump_writer.h"

namespace tl::drain {

enum State : std::uint32_t { none, starting, alive };
enum Request : std::uint32_t { go_on, end, stop };
enum Answer : std::uint32_t { waiting, ended, unwritable };

struct Drain {
  std::atomic<std::uint32_t> state;
  std::atomic<std::uint32_t> wakes;   // futex of the drain's sleep
  std::atomic<std::uint32_t> asleep;  // 1: in a sleep that is worth ending
  std::atomic<std::uint32_t> request;
  std::atomic<std::uint32_t> answer;                        // futex of who waits for the end
  std::atomic<std::uint32_t> flushes_wanted, flushes_done;  // counts; the second is a futex
  std::atomic<std::uint32_t> flushes_refused;               // up to this one: the dump had no room
  dump::EndReason reason;
  int tid;
  void* memory;                              // of the thread
  std::atomic<std::uint32_t> chunks_wanted;  // to be kept ready
  shm::DumpWriter dump;
  int error;  // of the last attempt to make the dump: 0 or -errno
};
extern Drain drain;

// Ends its sleep, whichever it is in.
void call_drain();

}  // namespace tl::drain
