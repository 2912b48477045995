// The dump of a process as a file: made when there is something to write, appended to by whole blocks, never
// overwritten. Written by the process's own drain, or by who salvages a dead process.
//
//   D1. The file ends on a block's border after each call, also where the disk, a quota or a limit refuses more.
//   D2. Behind its end the file system holds room in reserve, so that a file to which no more records could be written
//       is still told how many were lost, and ended. (Where a file system cannot reserve, that may fail.)
//   D3. Control::dump_bytes is the file's size before each call, or after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shm/layout.h"
#include "shm/sink.h"

namespace tl::shm {

class DumpFile {
 public:
  // Opens the dump that `control` says was created, and cuts off what is no whole block; or makes a new one, which has
  // a name at once or is to be given one: so that who dies in between leaves no file that holds nothing. Negative errno
  // if there can be neither; -ESTALE: the dump was moved or removed, and what has its name now is another file.
  int open(Control& control, bool with_name);
  // The first free name, into created_path. False: the file system cannot do that to a file that was made without.
  bool give_name();
  void close();                     // gives the reserve back
  void forget() { open_ = false; }  // the descriptor belongs to a table that this process does not have
  bool is_open() const { return open_; }

  // All of the piece, which consists of whole blocks, or nothing.
  Wrote write(const void* bytes, std::size_t size, Weight weight);
  // Whether records would find room now, without writing any.
  bool has_room();
  // Why the last piece was refused, in words; and whether that was TL_SIZE.
  const char* why_no_room() const { return why_no_room_; }  // null: it was not
  bool is_at_size_limit() const { return at_size_limit_; }
  std::uint64_t bytes() const { return size_; }
  // The reserve is not needed any more.
  void release_reserve();
  void cut_back_to(std::uint64_t bytes);
  // Takes away a file that was just made.
  void discard();
  // Where `control` keeps which file the dump is.
  static PartFile& own_place(Control& control);
  // Whether the file of that name is the one; a program, or somebody else, may have put another one there.
  static bool is_it(const char* path, const PartFile& part);
  // Removes the file that had the place of the next one among those that are rotated through.
  static void remove_oldest_part(Control& control);

 private:
  static void put_path(Control& control);
  static int reopen(Control& control);
  int make(Control& control, bool with_name);
  Wrote make_room(std::size_t size, Weight weight);
  std::uint64_t reserve_for(Weight weight) const;
  Wrote refuse(const char* why, bool at_size_limit = false);

  bool open_ = false;
  bool has_name_ = false;
  bool can_reserve_ = false;
  bool at_size_limit_ = false;
  int fd_ = 0;
  Control* control_ = nullptr;
  const char* why_no_room_ = nullptr;
  std::uint64_t size_ = 0;      // of whole blocks
  std::uint64_t reserved_ = 0;  // the file system has room for the file up to this size
};

}  // namespace tl::shm
