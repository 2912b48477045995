// Where blocks go.
#pragma once

#include <cstddef>

namespace tl::shm {

// What a piece holds, hence how far it may reach into a file's reserve: records not at all, counts of threads that end
// while others go on by half, the last words wholly.
enum class Weight { records, ended_threads, totals, last_words };

enum class Wrote { all, no_room, failed };

// Takes pieces of at most kWriteBytes that end on a block's border: all of a piece, or nothing.
struct Sink {
  Wrote (*write)(void* context, const void* bytes, std::size_t size, Weight weight);
  void* context;
};

}  // namespace tl::shm
