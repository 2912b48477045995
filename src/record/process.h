// The recording of this process: its phase, its shared memory by chunks, and where its losses and warnings go. All of
// it is constant-initialised. Nothing here allocates from the heap or takes a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "shm/view.h"

namespace tl::record {

enum class Phase : std::uint32_t {
  off,     // before the library's start, or disabled
  forked,  // a fork child that has recorded nothing yet: it starts at its first record
  running,
  finishing,  // its end is being written
  finished,
};

struct ThreadState;

struct Config {
  std::uint32_t alloc_mode = kAllocCount;
  std::uint32_t ring_records = kDefaultRingRecords;
  std::uint32_t ring_pool_chunks = kDefaultRingPoolBytes / kChunkBytes;
  std::uint32_t rotate_files = 0;
  std::uint64_t size_limit_bytes = 0;
};

extern Config config;

struct Process {
  std::atomic<Phase> phase;
  shm::Control* control;
  std::atomic<unsigned char*> chunks[kMaxChunks];  // by number; null: not mapped
  char shared_path[128];                           // of the shared memory file; empty: the memory dies with the process
  std::uint64_t shared_device, shared_inode;
  // The program has confined itself (seccomp): from now on its threads make no system call for us, since one that its
  // filter does not know may kill it. What is recorded stays in shared memory for a salvager.
  std::atomic<bool> sealed;
  // While the end is being written the calls of other threads wait for it, so that none has returned that is not in the
  // dump. Not those of the thread that writes it or waits for that.
  std::atomic<std::uint32_t> ends;     // so many have begun: an exec that fails is none
  std::atomic<ThreadState*> ended_by;  // by its thread-local state
  std::atomic<bool> starting;          // a fork child's recording is being made by one of its threads
  std::atomic<std::uint32_t> lost_while_starting;
  std::atomic<bool> recorded;                // a thread has made a record: others may
  std::atomic<std::uint32_t> chunks_ready;   // recycled or made ahead: taking one costs no system call
  std::atomic<std::uint32_t> pool_in_use;    // segments beyond each thread's first
  std::atomic<std::uint32_t> slots_closing;  // closed and not written yet
  // Set by the drain's side at start, which this side may not include. All are signal-safe.
  void (*start_drain)();       // makes sure that a drain runs
  void (*wake_drain)();        // it has work and may be asleep
  bool (*start_fork_child)();  // memory and names of its own for a fork child; false: it cannot record
};
extern Process process;

// Until the phase is another one than `phase`, at most so long. Signal-safe.
void wait_while(Phase phase, std::uint64_t patience_ns);
void wake_who_waits_for_phase();

inline shm::View view() { return shm::View(process.chunks); }

// Makes the shared memory (or, where there is no room for it, private memory) with an empty control page, and the slot
// for calls past their threads' ends. False: no memory at all.
bool create_memory();
// The program may have so much memory: its rings grow together to a sixteenth of it at most.
void respect_memory_limit(std::uint64_t bytes);
// In a fork child: lets go of the parent's memory without touching what is in it. At the same addresses there is
// private zeroed memory then, for code that a forking signal handler interrupted and that still holds pointers.
void leave_memory();
// All pointers to it.
void forget_memory();
void remove_shared_file();

// A zeroed chunk by number, recycled or new; 0: none to be had. Lock-free and signal-safe.
std::uint32_t take_chunk();
// Makes a chunk ahead of need, for take_chunk() to find. False: no memory.
bool make_chunk_ready();
// Gives back a chunk that nobody reads any more; it is zeroed here.
void return_chunk(std::uint32_t number);

// Into the dump's warnings; dropped when their page is full. Not signal-safe.
void warn(std::string_view code, std::string_view text);

}  // namespace tl::record
