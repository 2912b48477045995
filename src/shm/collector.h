// Shared memory into blocks: the one place that turns slots, rings, names and counters into a dump. Used by the drain
// thread while the process lives, by the exit hook of a process without one, and for a dead process's leftovers.
// It does not allocate, lock or throw; its memory is the caller's.
#pragma once

#include <cstdint>

#include "dump/block.h"
#include "dump/scopes_codec.h"
#include "shm/view.h"

namespace tl::shm {

// Where blocks go. False: the bytes were not taken (disk full), and the records in them stay where they are.
struct Sink {
  bool (*write)(void* context, const void* bytes, std::size_t size);
  void* context;
};

class Collector {
 public:
  Collector(View view, Sink sink);

  // Each returns false when the sink refused; what was refused is taken again by the next call.
  bool put_file_header();
  bool put_process();
  bool put_anchor(const Anchor& anchor);
  bool put_new_names();
  bool put_new_warnings();
  // Records of one thread that are whole and not written yet. `to_the_end`: the thread writes no more, so a gap (a
  // record that was reserved and never finished) is passed over. Adds to records().
  bool put_records(ThreadSlot& slot, bool to_the_end);
  bool put_thread(const ThreadSlot& slot);
  bool put_counters(const ThreadSlot& slot);
  bool put_open_scopes(const ThreadSlot& slot);
  bool put_end(dump::EndReason reason, int signal_number, std::uint64_t ticks);
  // Everything that the process still holds, as its end asks for it: names, threads, records, counters, open scopes.
  bool put_all(std::uint64_t now_ticks);
  bool flush();

  // Called with each segment that was read to its end and written, so that its owner can use it again.
  void (*on_segment_free)(std::uint32_t chunk) = nullptr;

 private:
  struct Place {  // the consumer's place in a ring before the sink took what was read
    ThreadSlot* slot;
    std::uint32_t segment, index;
    std::uint64_t sequence;
  };
  bool put_scopes();
  bool put_latency(const ThreadSlot& slot, unsigned call, unsigned size_class);
  bool finish_block();

  View view_;
  Sink sink_;
  dump::ScopeColumns columns_;
  alignas(16) unsigned char buffer_[kWriteBytes];
  dump::BlockWriter writer_;
};

}  // namespace tl::shm
