// RAII over telemetry.h, for C++17 and later:
//
//     void handle(const Order& order) {
//       TL_SCOPE("handle");  // times the rest of the block, however it is left
//       ...
//     }
//
// What telemetry.h says of its calls holds here: ids, ticks, threads and signals, a program without the library.
// Nothing here throws or allocates, and an object is for the thread that made it unless it says otherwise.
//
// TL_DISABLE leaves no code: the macros become nothing and do not evaluate what they are given; the classes stay, and
// do nothing. (telemetry::NoAllocation alone goes on: it fails, since nothing is counted.)
#ifndef TELEMETRY_TELEMETRY_HPP
#define TELEMETRY_TELEMETRY_HPP

#include <telemetry/telemetry.h>

#if __cplusplus < 201703L
#error "telemetry.hpp needs C++17 (telemetry.h, with TL_BEGIN and TL_END, does not)"
#endif

#define TL_INLINE [[gnu::always_inline, gnu::artificial, gnu::no_instrument_function]] inline

namespace telemetry {

// Files of one program may differ in these macros; each then has classes of its own.
#if defined(TL_DISABLE)
inline namespace disabled {
#elif defined(TL_LINKED)
inline namespace linked {
#else
inline namespace weak {
#endif

// The id of a name, as tl_scope_register: 0 where it has none or the library is not there. Takes a lock.
TL_INLINE tl_scope_id register_scope(const char* name) noexcept { return tl_scope_register(name); }

// How a stamp is taken: rdtsc, rdtscp, or rdtscp fenced by lfence (see tl_scope_begin_mid in telemetry.h).
enum class Mode { fast, mid, hard };

// A scope from here to the end of the block, however the block is left. Begin and end are stamped each in a mode of its
// own: BasicScope<Mode::fast, Mode::hard>.
template <Mode begin, Mode end = begin>
class BasicScope {
 public:
  TL_INLINE explicit BasicScope(tl_scope_id id) noexcept : id_(id) {
    if constexpr (begin == Mode::fast) tl_scope_begin(id);
    if constexpr (begin == Mode::mid) tl_scope_begin_mid(id);
    if constexpr (begin == Mode::hard) tl_scope_begin_hard(id);
  }
  // A scope that should have begun at `intended_ticks` (see tl_scope_begin_at). Its begin is a fast one.
  TL_INLINE BasicScope(tl_scope_id id, uint64_t intended_ticks) noexcept : id_(id) {
    static_assert(begin == Mode::fast, "a scope with an intended start begins with a fast stamp");
    tl_scope_begin_at(id, intended_ticks);
  }
  TL_INLINE ~BasicScope() {
    if constexpr (end == Mode::fast) tl_scope_end(id_);
    if constexpr (end == Mode::mid) tl_scope_end_mid(id_);
    if constexpr (end == Mode::hard) tl_scope_end_hard(id_);
  }
  BasicScope(const BasicScope&) = delete;
  BasicScope& operator=(const BasicScope&) = delete;

 private:
  const tl_scope_id id_;
};
using Scope = BasicScope<Mode::fast>;
using MidScope = BasicScope<Mode::mid>;
using HardScope = BasicScope<Mode::hard>;

// Stages that follow each other, with a single stamp (a fast one) between two:
//
//     telemetry::Chain stages(TL_ID("decode"));
//     ...
//     stages.next(TL_ID("route"));
//     ...                            // the end of the block ends the last stage
//
// Scopes may nest inside a stage, but must be closed before the next one. A chain may lie inside a scope, which it
// leaves open.
class Chain {
 public:
  Chain() noexcept = default;  // no stage yet
  TL_INLINE explicit Chain(tl_scope_id first) noexcept { next(first); }
  // Ends the stage that is open and begins this one; 0 only ends.
  TL_INLINE void next(tl_scope_id stage) noexcept {
    const bool begins = stage - 1u < 65535u;
    if (open_ && begins) {
      tl_scope_next(stage);
    } else {  // With no stage open, tl_scope_next would end the scope that the chain lies in.
      if (open_) tl_scope_next(0);
      if (stage != 0) tl_scope_begin(stage);
    }
    open_ = begins;
  }
  TL_INLINE ~Chain() {
    if (open_) tl_scope_next(0);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

 private:
  bool open_ = false;
};

// The begin of a span (see tl_span), to be kept, copied, or sent in a message to another thread, which may end it:
//
//     message.span = telemetry::Span::begin(TL_ID("in the queue"));
//     ...
//     message.span.end();  // counts for the thread that ends it
struct Span {
  tl_scope_id id;
  uint64_t begin_ticks;

  TL_INLINE static Span begin(tl_scope_id id) noexcept { return Span{id, tl_ticks()}; }
  TL_INLINE void end() const noexcept { tl_span(id, begin_ticks, tl_ticks()); }
};

// Nothing is recorded in the whole process while it lives (see tl_pause). Inside another one it changes nothing. Where
// two threads' overlap, the end of the one that came first resumes. Not for signal handlers.
class Pause {
 public:
  TL_INLINE Pause() noexcept : resumes_(tl_recording() != 0) {
    if (resumes_) tl_pause();
  }
  TL_INLINE ~Pause() {
    if (resumes_) tl_resume();
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;

 private:
  const bool resumes_;
};

}  // namespace
}  // namespace telemetry

#undef TL_INLINE

// TL_SCOPE("name") times the rest of the block with fast stamps; TL_SCOPE_MID and TL_SCOPE_HARD with those of that
// mode; TL_SCOPE_AT("name", ticks) from an intended start. The name must be a string literal, of which TL_ID
// (telemetry.h) keeps the id. For a name in a variable: telemetry::Scope scope(telemetry::register_scope(name)).
#define TL_JOIN_(a, b) a##b
#define TL_JOIN(a, b) TL_JOIN_(a, b)
#if defined(TL_DISABLE)
#define TL_SCOPE(name) ((void)sizeof("" name ""))
#define TL_SCOPE_MID(name) ((void)sizeof("" name ""))
#define TL_SCOPE_HARD(name) ((void)sizeof("" name ""))
#define TL_SCOPE_AT(name, intended_ticks) ((void)sizeof("" name ""), (void)sizeof(intended_ticks))
#else
#define TL_SCOPE(name) const ::telemetry::Scope TL_JOIN(tl_scope_, __COUNTER__)(TL_ID(name))
#define TL_SCOPE_MID(name) const ::telemetry::MidScope TL_JOIN(tl_scope_, __COUNTER__)(TL_ID(name))
#define TL_SCOPE_HARD(name) const ::telemetry::HardScope TL_JOIN(tl_scope_, __COUNTER__)(TL_ID(name))
#define TL_SCOPE_AT(name, intended_ticks) \
  const ::telemetry::Scope TL_JOIN(tl_scope_, __COUNTER__)(TL_ID(name), intended_ticks)
#endif

#include <telemetry/no_allocation.hpp>

#endif  // TELEMETRY_TELEMETRY_HPP
