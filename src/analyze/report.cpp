#include "analyze/report.h"

namespace tl::analyze {

void ScopeAllocations::add(const ScopeAllocations& more) {
  count += more.count;
  self_count += more.self_count;
  bytes += more.bytes;
  scopes_with += more.scopes_with;
  ns += more.ns;
}

void* Arena::get(void* context, std::size_t bytes) {
  auto& arena = *static_cast<Arena*>(context);
  const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  if (arena.chunks_.empty() || words > arena.size_ - arena.used_) {
    constexpr std::size_t kChunkWords = 8192;
    arena.size_ = words > kChunkWords ? words : kChunkWords;
    arena.chunks_.push_back(std::make_unique<std::uint64_t[]>(arena.size_));  // zeroed
    arena.used_ = 0;
  }
  std::uint64_t* here = arena.chunks_.back().get() + arena.used_;
  arena.used_ += words;
  return here;
}

std::uint64_t Allocations::blocks() const {
  std::uint64_t sum = 0;
  for (unsigned call = 0; call < kAllocCalls; ++call)
    if (call != static_cast<unsigned>(AllocCall::free_)) sum += calls[call];
  return sum;
}

std::string Allocations::coverage() const {
  if (threads_counted >= threads) return {};
  const std::string of =
      threads_counted == 0 ? "no thread"
                           : "only " + count_words(threads_counted) + " of " + tl::analyze::counted(threads, "thread");
  return "counters of " + of + " are in the file";
}

std::uint64_t Allocations::all_calls() const { return blocks() + calls[static_cast<unsigned>(AllocCall::free_)]; }

}  // namespace tl::analyze
