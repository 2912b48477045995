#include "shm/dump_writer.h"

#include <errno.h>

#include "base/text.h"
#include "shm/warnings.h"

namespace tl::shm {

namespace {
constexpr std::uint64_t kAllNs = 200'000'000;    // between passes that take what fills no block
constexpr std::uint64_t kRetryNs = 100'000'000;  // between looks for room on a disk that was full
}  // namespace

int DumpWriter::open(View view) {
  view_ = view;
  told_ = false;
  head_bytes_ = 0;
  Control& control = view.control();
  if (control.part == 0) control.part = 1, control.part_ticks = control.start_anchor.ticks;
  if (control.created.load(std::memory_order_relaxed) != 0) {
    const int error = file_.open(control, true);
    if (error == 0) collector_.open(view, {write, this});
    if (error != -ESTALE) return error;
    DumpFile::own_place(control) = {};
    begin_anew();
  }
  const int error = make();
  return error == 0 || error == -ENOSPC ? error : make_with_name();
}

// The next file holds nothing yet of what stands at the beginning of each.
void DumpWriter::begin_anew() {
  Control& control = view_.control();
  control.created.store(0, std::memory_order_release);
  control.records_written = 0;
  control.names_written = control.warnings_written = control.cost_rows_written = 0;
  write_threads_again();
}

// A new file gets its name when it can be read.
int DumpWriter::make() {
  Control& control = view_.control();
  if (const int error = file_.open(control, false); error < 0) return error;
  if (const int error = put_head(); error < 0) return error;
  if (!file_.give_name()) return file_.discard(), -EOPNOTSUPP;
  control.created.store(1, std::memory_order_release);  // pairs with a salvager
  return 0;
}

int DumpWriter::make_with_name() {
  Control& control = view_.control();
  if (const int error = file_.open(control, true); error < 0) return error;
  if (const int error = put_head(); error < 0) return error;
  control.created.store(1, std::memory_order_release);  // pairs with a salvager
  return 0;
}

int DumpWriter::put_head() {
  collector_.open(view_, {write, this});
  const bool done = collector_.put_file_header() && collector_.put_process() &&
                    collector_.put_anchor(view_.control().start_anchor) &&
                    (last_anchor_.ticks == 0 || collector_.put_anchor(last_anchor_)) && collector_.flush();
  head_bytes_ = file_.bytes();
  if (done) return 0;
  file_.discard();
  return collector_.refusal() == Wrote::no_room ? -ENOSPC : -EIO;
}

void DumpWriter::close() { file_.close(); }

Wrote DumpWriter::write(void* self, const void* bytes, std::size_t size, Weight weight) {
  return static_cast<DumpWriter*>(self)->file_.write(bytes, size, weight);
}

bool DumpWriter::put_anchor(const Anchor& anchor) {
  last_anchor_ = anchor;
  if (!collector_.drops_records()) return collector_.put_anchor(anchor) && collector_.flush();
  // One that lies behind the records that are there: who reads meanwhile may have no other.
  if (!anchored_when_full_) collector_.put_urgent_anchor(anchor);
  anchored_when_full_ = true;
  return true;
}

void DumpWriter::say_no_room() {
  if (told_) return;
  told_ = true;
  char text[256];
  TextBuilder line(text, sizeof text);
  line.add("the dump took no more records: ").add(file_.why_no_room());
  line.add("; those that came meanwhile are counted as lost, cause disk_full");
  add_warning(view_.control(), "no_space", line.view());
}

// After a refusal: the next file, or none, and then records are dropped from here on. False: it was no matter of room.
bool DumpWriter::find_room() {
  if (collector_.refusal() != Wrote::no_room || collector_.drops_records()) return false;
  const bool rotates = view_.control().rotate_files != 0 && file_.bytes() > head_bytes_;
  if (file_.is_at_size_limit() && rotates) return go_on_in_next_file();
  if (keeps_ && !file_.is_at_size_limit()) return false;
  say_no_room();
  collector_.drop_records(true);
  anchored_when_full_ = false;
  collector_.put_urgent_warnings();  // for who reads meanwhile
  return true;
}

bool DumpWriter::go_on_in_next_file() {
  Control& control = view_.control();
  collector_.drop_records(true);  // only what may reach into the reserve
  collector_.put_end(dump::EndReason::continued, 0, 0);
  file_.close();
  // A death from here on leaves a new file to be made by the salvager, which the records in the rings go on in.
  control.records_before_part += control.records_written;
  begin_anew();
  ++control.part;
  control.part_ticks = newest_start(now_ticks_);
  DumpFile::remove_oldest_part(control);
  return open(view_) == 0;
}

// Of `ticks` and the threads that are told of: one that begins later has no record in the file so far.
std::uint64_t DumpWriter::newest_start(std::uint64_t ticks) const {
  const std::uint32_t slots = view_.control().slots_used.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < slots && i < kMaxSlots; ++i)
    if (const ThreadSlot* slot = view_.slot(i); slot != nullptr && slot->start_ticks > ticks) ticks = slot->start_ticks;
  return ticks;
}

void DumpWriter::write_threads_again() {
  const std::uint32_t slots =
      view_.control().slots_used.load(std::memory_order_acquire);  // pairs with the slot's taker
  for (std::uint32_t i = 0; i < slots && i < kMaxSlots; ++i)
    if (ThreadSlot* slot = view_.slot(i)) slot->version_written = 0;
}

bool DumpWriter::carry(const Owner& owner, const Moment& now) {
  now_ticks_ = now.ticks;
  const bool all = now.all || now.ns >= all_ns_;
  until_ = all ? Until::last_record : Until::full_blocks;
  if (all) all_ns_ = now.ns + kAllNs;
  collector_.on_segment_free = owner.free_segment;
  if (collector_.drops_records() && now.ns >= retry_ns_) {
    retry_ns_ = now.ns + kRetryNs;
    collector_.drop_records(file_.is_at_size_limit() || !file_.has_room());
  }
  most_records_ = 0;
  while (!put_new(owner)) {
    write_threads_again();  // some of what the file did not take
    if (!find_room()) return false;
  }
  return true;
}

// What is new, as far as it is not to be dropped.
bool DumpWriter::put_new(const Owner& owner) {
  const bool room = !collector_.drops_records();
  if (room && (!collector_.put_new_names() || !collector_.put_new_warnings())) return false;
  const std::uint32_t slots =
      view_.control().slots_used.load(std::memory_order_acquire);  // pairs with the slot's taker
  for (std::uint32_t i = 0; i < slots; ++i) {
    ThreadSlot* slot = view_.slot(i);
    const auto state = static_cast<SlotState>(slot->state.load(std::memory_order_acquire));  // pairs with the thread
    if (state == SlotState::closing) {
      if (!put_closing(owner, *slot, i)) return false;
      continue;
    }
    if (state != SlotState::live) continue;
    // In later files a thread is told of with its first records: all of ten thousand might not find room in one.
    const bool later = slot->version_written == 0 && view_.control().part > 1;
    if (room && !later && !collector_.put_changed_thread(*slot)) return false;
    if (room && !collector_.put_drops(*slot)) return false;
    const std::uint64_t before = collector_.sequence_of(*slot);
    if (!collector_.put_records(*slot, until_)) return false;
    const std::uint64_t records = collector_.sequence_of(*slot) - before;
    most_records_ = records > most_records_ ? records : most_records_;
  }
  return !room || (collector_.put_cost() && collector_.flush());
}

bool DumpWriter::put_closing(const Owner& owner, ThreadSlot& slot, std::uint32_t index) {
  ++view_.control().snapshot;  // a part of its totals may be in the file already, which refused the rest
  if (collector_.drops_records()) {
    collector_.put_records(slot, Until::end);
    if (collector_.put_or_add_counts(slot)) collector_.note_ended(slot);
  } else if (!collector_.put_thread(slot) || !collector_.put_records(slot, Until::end) || !collector_.flush() ||
             !collector_.put_totals(slot) || !collector_.flush()) {
    return false;
  } else {
    collector_.note_ended(slot);
  }
  owner.free_slot(index);
  return true;
}

// To the end of all threads, whatever room there is. What a next file of the size that is allowed has no room for,
// though it holds no record yet, goes there all the same: it would find none in any.
bool DumpWriter::put_all() {
  Control& control = view_.control();
  for (const std::uint32_t part = control.part;;) {
    if (collector_.drops_records()) return collector_.put_last_words();
    if (collector_.put_everything()) return true;
    const bool is_hopeless = control.part != part && control.records_written == 0 && file_.is_at_size_limit();
    if (is_hopeless && control.size_limit_bytes != 0)
      control.size_limit_bytes = 0;
    else if (!find_room())
      return false;
  }
}

bool DumpWriter::put_end(dump::EndReason reason, int signal_number, const Anchor* now, std::uint64_t ticks) {
  now_ticks_ = ticks;
  if (now != nullptr) last_anchor_ = *now;  // for files that are begun on the way
  if (now != nullptr && !collector_.drops_records() && !collector_.put_anchor(*now)) return false;
  if (!put_all()) return false;
  if (now != nullptr && collector_.drops_records()) collector_.put_anchor(*now);
  if (reason != dump::EndReason::none && !collector_.put_end(reason, signal_number, ticks)) return false;
  file_.release_reserve();
  return true;
}

}  // namespace tl::shm
