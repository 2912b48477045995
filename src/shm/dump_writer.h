// Collector and file together: what is to be done when the file cannot take more. Without room records are dropped and
// counted, once TL_SIZE is reached the dump ends or goes on in the next file, and in any case it is ended in the
// reserve. Used by the drain and by who salvages a dead process. No allocation; about 80 KiB: static, not for a stack.
#pragma once

#include "shm/collector.h"
#include "shm/dump_file.h"

namespace tl::shm {

// How the owner of the rings takes back what was emptied.
struct Owner {
  void (*free_segment)(std::uint32_t chunk);
  void (*free_slot)(std::uint32_t index);
};

class DumpWriter {
 public:
  // Opens the dump of the process, making it if it has none yet. Negative errno: it cannot be written.
  int open(View view);
  // What finds no room stays where it is: somebody may make some. (Not where TL_SIZE is what forbids it.)
  void keep_what_finds_no_room() { keeps_ = true; }
  void close();
  void cut_back_to(std::uint64_t bytes) { file_.cut_back_to(bytes); }
  void discard() { file_.discard(); }  // a file that was made by open()
  void forget() { file_.forget(), last_anchor_ = {}; }
  bool is_open() const { return file_.is_open(); }

  struct Moment {
    std::uint64_t ns, ticks;
    bool all;  // not only full blocks, and without them now and then
  };
  // One pass over all threads: what is new is in the file afterwards, or was dropped. False: neither.
  bool carry(const Owner& owner, const Moment& now);
  // In the last pass, of the thread that had most.
  std::uint64_t most_records() const { return most_records_; }
  bool put_anchor(const Anchor& anchor);
  // It has no room: what comes is counted as lost.
  bool drops_records() const { return collector_.drops_records(); }
  // Everything to its end, and the end block if there is a reason. False: the file does not hold it all, and what is
  // missing was not dropped.
  bool put_end(dump::EndReason reason, int signal_number, const Anchor* now, std::uint64_t ticks);

 private:
  int make();
  int make_with_name();
  int put_head();
  bool put_new(const Owner& owner);
  bool put_closing(const Owner& owner, ThreadSlot& slot, std::uint32_t index);
  bool put_all();
  bool find_room();
  bool go_on_in_next_file();
  void begin_anew();
  void write_threads_again();
  std::uint64_t newest_start(std::uint64_t ticks) const;
  void say_no_room();
  static Wrote write(void* self, const void* bytes, std::size_t size, Weight weight);

  View view_{nullptr};
  DumpFile file_;
  Collector collector_;
  std::uint64_t retry_ns_ = 0, most_records_ = 0, now_ticks_ = 0, all_ns_ = 0;
  Until until_ = Until::full_blocks;
  std::uint64_t head_bytes_ =
      0;  // what each file begins with; no room beside that would be none in the next one either
  bool told_ = false, keeps_ = false, anchored_when_full_ = true;
  Anchor last_anchor_{};
};

}  // namespace tl::shm
