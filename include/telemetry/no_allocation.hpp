// A guard for tests: it fails when its block allocates. C++17 and later; part of telemetry.hpp.
//
//     telemetry::NoAllocation guard([](const char* what) { ADD_FAILURE() << what; });  // GoogleTest
//     handle(order);
//
// It counts with the library, so the test must run under it: linked with it, or by tlrun -- TEST. Where nothing is
// counted the guard fails too and says so: a zero that nobody measured is no pass. That holds under TL_DISABLE as well.
//
// An allocation is a call of malloc, calloc, realloc, reallocarray, aligned_alloc, posix_memalign, memalign, valloc or
// pvalloc, a failed one too; so are new and what a throw allocates. A free is none, nor is mmap. Only those of the
// thread that made the guard count.
#ifndef TELEMETRY_NO_ALLOCATION_HPP
#define TELEMETRY_NO_ALLOCATION_HPP

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <telemetry/telemetry.h>

namespace telemetry {

#if defined(TL_DISABLE)
inline namespace disabled {
#elif defined(TL_LINKED)
inline namespace linked {
#else
inline namespace weak {
#endif

// What the calling thread allocates from here on. Only for the thread that made it: on another one nothing is known.
class AllocationCount {
 public:
  AllocationCount() noexcept : counted_(read(start_)) {}
  // Allocations, and the bytes that they asked for (those that failed: none), so far; -1 where they are not counted.
  int64_t count() const noexcept { return since(&tl_allocations::count); }
  int64_t bytes() const noexcept { return since(&tl_allocations::bytes); }
  bool on_its_thread() const noexcept { return thread_ == &errno; }

 private:
  static bool read(tl_allocations& into) noexcept {
    into = tl_allocations();
    into.size = sizeof into;
    return tl_thread_allocations(&into) == 0;
  }
  int64_t since(uint64_t tl_allocations::*part) const noexcept {
    tl_allocations now;
    return on_its_thread() && counted_ && read(now) ? static_cast<int64_t>(now.*part - start_.*part) : -1;
  }

  const int* thread_ = &errno;  // each thread has one of its own
  tl_allocations start_;
  bool counted_;
};

// What a guard does that is not told what to do: one line to stderr, and abort().
struct AbortTest {
  void operator()(const char* what) const noexcept {
    fprintf(stderr, "%s\n", what);
    fflush(stderr);
    abort();
  }
};

// Fails at the end of its block, or at check(), if the thread allocated since. The guard allocates nothing itself.
//
// On failure it calls `on_failure` once, with one line of text that starts with the guard's place in the source and is
// valid during the call. If that throws, so does the guard; in a block that is left by an exception this ends the
// program.
template <class OnFailure = AbortTest>
class NoAllocation {
 public:
  explicit NoAllocation(OnFailure on_failure = OnFailure(), const char* file = __builtin_FILE(),
                        int line = __builtin_LINE())
      : on_failure_(static_cast<OnFailure&&>(on_failure)), file_(file), line_(line) {}
  ~NoAllocation() noexcept(noexcept(on_failure_(""))) { check(); }
  NoAllocation(const NoAllocation&) = delete;
  NoAllocation& operator=(const NoAllocation&) = delete;

  // So far; -1 where they are not counted. Fails nothing.
  int64_t count() const noexcept { return allocations_.count(); }
  int64_t bytes() const noexcept { return allocations_.bytes(); }

  // Fails now if the thread allocated; what it does later no longer matters. True: it did not, and that was counted.
  bool check() noexcept(noexcept(on_failure_(""))) {
    if (checked_) return passed_;
    checked_ = true;
    const int64_t count = allocations_.count(), bytes = allocations_.bytes();
    passed_ = count == 0;
    if (!passed_) fail(count, bytes);
    return passed_;
  }

 private:
  void fail(int64_t count, int64_t bytes) noexcept(noexcept(on_failure_(""))) {
    char text[768];
    const auto say = [&](const char* what) { snprintf(text, sizeof text, "%.300s:%d: %s", file_, line_, what); };
    if (count > 0) {
      char what[128];
      snprintf(what, sizeof what, "allocated %lld times (%lld bytes) where nothing may be allocated",
               static_cast<long long>(count), static_cast<long long>(bytes));
      say(what);
    } else if (!allocations_.on_its_thread()) {
      say("checked on another thread than it was made on: nothing was measured");
    } else {
      say(kNotCounted);
    }
    on_failure_(static_cast<const char*>(text));
  }

#if defined(TL_DISABLE)
  static constexpr const char* kNotCounted =
      "allocations are not counted, nothing was measured: built with TL_DISABLE; build this test without it";
#else
  static constexpr const char* kNotCounted =
      "allocations are not counted, nothing was measured: run this linked with the library or by tlrun -- TEST, "
      "without "
      "TL_ALLOC=off or TL_DISABLE=1, and with libc's malloc or a library's, not the program's own or a sanitizer's";
#endif

  OnFailure on_failure_;
  const char* file_;
  int line_;
  bool checked_ = false, passed_ = false;
  AllocationCount allocations_;  // last: what the members above may allocate does not count
};
NoAllocation()->NoAllocation<AbortTest>;

}  // namespace
}  // namespace telemetry

#endif  // TELEMETRY_NO_ALLOCATION_HPP
