// Attributes that force hot and cold code apart, and the few words of the compiler that the house uses.
#pragma once

// The hot path must stay in one run of instructions: what is rare is moved out of it by hand, since the compiler cannot
// know that "the ring is full" happens once in a million calls.
#define TL_HOT_PATH __attribute__((always_inline)) inline
#define TL_COLD_PATH __attribute__((noinline, cold))

// A symbol of libtelemetry.so that programs may see; everything else is hidden (-fvisibility=hidden and the export
// map).
#define TL_EXPORT __attribute__((visibility("default")))

// Of data that another file defines and the hot path reads: without it the compiler must take the long way, in case the
// definition is the program's.
#define TL_OURS __attribute__((visibility("hidden")))

#define TL_LIKELY(x) __builtin_expect(!!(x), 1)
#define TL_UNLIKELY(x) __builtin_expect(!!(x), 0)
