// Scope records of a dump, read backwards, into times by thread and scope. In a thread's ring an outer scope ends after
// those inside it, so backwards each scope comes before its children, and what encloses a record is a stack no deeper
// than the program's nesting. Forwards, every finished scope would have to be kept until one that encloses it may still
// come.
//
// Corrected, a scope's time is without what recording took of it: what an empty one of its stamp modes measures, and
// for each scope inside it what one of that one's modes takes as a whole; never below 0. What lies inside comes after
// it, so then a scope waits on the stack until it is left; as measured, none does.
#pragma once

#include <array>
#include <unordered_map>

#include "analyze/series.h"
#include "analyze/summary.h"

namespace tl::analyze {

struct ScopeCell {  // one scope on one thread
  std::uint32_t thread = 0;
  std::uint16_t id = 0;
  unsigned kinds = 0;  // bit by kind of its scopes, and kSpanBit
  hist::Histogram histogram;
  double outermost_ns = 0, all_ns = 0, children_ns = 0;
  std::uint64_t mismatched = 0, unfinished = 0, discarded = 0;
  std::uint32_t enclosing = 0;   // how often it is on its thread's stack right now
  std::uint32_t response = 0;    // its place among the responses, from 1
  ScopeAllocations allocations;  // the histogram without the runs that have none
};

constexpr unsigned kScopeKinds = 16, kSpanBit = 1u << kScopeKinds;

struct ResponseCell {
  hist::Histogram histogram;
  std::uint64_t early = 0;
};

class ScopeTimes {
 public:
  // `cost` null: as measured.
  ScopeTimes(const clock::Converter& converter, Arena& arena, ClockFacts& facts, const OwnCost* cost);

  // Run by run, backwards. What has nothing to do with scopes goes to `others`.
  void take(const read::RecordRun& run, Series& others);
  // After the last run.
  void finish();

  ScopeCell& cell(std::uint32_t thread, std::uint32_t id);
  const std::vector<ScopeCell>& cells() const { return cells_; }
  // Null: no run of it had an intended begin.
  const ResponseCell* response_of(const ScopeCell& cell) const {
    return cell.response == 0 ? nullptr : &responses_[cell.response - 1];
  }

 private:
  static constexpr std::size_t kDeepest = 2048;  // twice what can be open: more is not nesting but a crafted file
  static constexpr std::size_t kRecent = 1u << 16;

  struct Enclosing {
    std::uint64_t begin, end;
    std::uint32_t cell;
    std::uint8_t kind;
    bool outermost;
  };
  static_assert(sizeof(Enclosing) == 24);
  struct Waiting {  // beside each enclosing one where times are corrected
    double ns, inside_ns;
  };
  struct Asked {  // of the allocator, in one that is on the stack at `depth`, from 1; the others on it have none so far
    std::size_t depth;
    std::uint64_t count, bytes;
    double ns;
  };
  struct Thread {
    std::vector<Enclosing> stack;
    std::vector<Asked> asked;
    std::vector<Waiting> waiting;
    std::uint16_t sampled_after = 0;  // the id of the record after the run, if that is a scope's sample
  };
  struct Recent {
    std::uint64_t key = ~std::uint64_t{0};  // no scope has it: ids are 16 bits of 48
    std::uint32_t cell = 0;
  };

  template <bool kCorrected>
  void take_run(const read::RecordRun& run, Series& others);
  template <bool kCorrected>
  void sample(Thread& thread, std::uint32_t cell, unsigned kind, std::uint64_t end, std::uint64_t duration);
  template <bool kCorrected>
  void leave(Thread& thread);
  void take_asked(const read::RecordRun& run, std::uint32_t i, Thread& thread);
  void settle_asked(Thread& thread, const Enclosing& left, std::size_t depth);
  void add_asked(ScopeCell& cell, const Asked& asked, bool outermost);
  static std::uint16_t sampled_at(const read::RecordRun& run, std::uint32_t i);
  void take_other(const read::RecordRun& run, std::uint32_t i, Thread& thread, Series& others);
  void correct(Thread& thread, std::uint32_t cell, unsigned kind, Waiting own, bool outermost);

  std::uint32_t index_of(std::uint32_t thread, std::uint32_t id);
  std::uint32_t look_up(std::uint32_t thread, std::uint32_t id, std::uint64_t key);

  const clock::Converter& converter_;
  Arena& arena_;
  ClockFacts& facts_;
  const bool corrected_;
  std::array<double, kScopeKinds> measures_ns_{}, takes_ns_{};  // an empty one, by kind; 0: not known
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
  std::vector<ScopeCell> cells_;
  std::vector<ResponseCell> responses_;
  std::unordered_map<std::uint32_t, Thread> threads_;
};

}  // namespace tl::analyze
