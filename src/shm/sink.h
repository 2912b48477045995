// Where blocks go.
#pragma once

#include <cstddef>

namespace tl::shm {

// What a piece holds, hence how far it may reach into a file's reserve: records not at all, the last words wholly.
enum class Weight { records, totals, last_words };

enum class Wrote { all, no_room, failed };

// Takes pieces of at most kWriteBytes that end on a block's border: all of a piece, or nothing.
struct Sink {
  Wrote (*write)(void* context, const void* bytes, std::size_t size, Weight weight);
  void* context;
};

}  // namespace tl::shm
