// How another process of the same user asks something of this one: by words in the control page.
//
// Who asks holds a lock on the file (another one waits for it), puts a new word into `asked` and waits until the same
// word stands in `answered`. The recorded process looks at `asked` in each round of its drain; while it has recorded
// nothing there is no drain, and what was asked last counts from its first record on.
#pragma once

#include <cstdint>

namespace tl::shm {

enum class Request : std::uint32_t { nothing, pause, resume, flush };
enum class Answer : std::uint32_t { none, done, failed };

// A word is a request and a count, so that the same request twice is two words.
constexpr std::uint32_t next_word(std::uint32_t previous, Request request) {
  return ((previous >> 8) + 1) << 8 | static_cast<std::uint32_t>(request);
}
constexpr Request request_of(std::uint32_t word) { return static_cast<Request>(word & 0xff); }

}  // namespace tl::shm
