/* libtelemetry: scopes of a program, timed to the tick and kept.
 *
 * A program that links the library records whenever it runs, into TL_OUTPUT (telemetry.PROGRAM.PID.START.tl in the
 * current directory unless told otherwise); TL_DISABLE=1 in its environment turns that off.
 *
 * C99 and C++. What holds for every function here unless it says otherwise:
 *   - ids come from tl_scope_register; 0 and ids that were never given do nothing (a begin, span, pulse or value with
 *     one of them is a lost record, cause bad_id);
 *   - recording never fails, blocks, allocates, throws or changes errno: what cannot be kept is counted and reported;
 *   - any thread may call it, and so may a signal handler, whatever it interrupted, if it returns: one that leaves by
 *     siglongjmp may take an unfinished record along, behind which nothing of its thread is written before the end;
 *   - a tick is one count of the time stamp counter or, on a machine without one that is fit for it, 1 ns;
 *   - the program may run without the library: then a call is one predicted branch, records nothing and returns 0.
 *
 * A program that links the library defines TL_LINKED (the CMake target telemetry does) to get ordinary references; one
 * that is meant for LD_PRELOAD does not, and gets weak ones. TL_DISABLE leaves no code at all.
 */
#ifndef TELEMETRY_TELEMETRY_H
#define TELEMETRY_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Without nothrow the destructor of a C++ scope would need an unwinder's help. What is inline here is defined at the
 * end of this file, as local symbols of another name, since the library's are reached by theirs. It is code of the
 * caller's, whatever that is compiled with: not called, not stepped into, not instrumented. */
#define TL_INLINE static inline __attribute__((nothrow, always_inline, artificial, no_instrument_function))
#define TL_INLINE_AS(name) __asm__(#name ".inline")
#if defined(TL_IMPLEMENTATION) /* the library itself: declarations only */
#define TL_API extern
#define TL_API_AS(name)
#define TL_FREQUENT extern
#define TL_FREQUENT_AS(name)
#else
#if defined(TL_DISABLE) || !defined(TL_LINKED)
#define TL_API TL_INLINE
#define TL_API_AS(name) TL_INLINE_AS(name)
#else
#if defined(__clang__)
#define TL_STRONG __attribute__((nothrow, visibility("default")))
#else
#define TL_STRONG __attribute__((nothrow, visibility("default"), noplt)) /* noplt: one jump less */
#endif
#define TL_API extern TL_STRONG
#define TL_API_AS(name)
#endif
#define TL_FREQUENT TL_INLINE
#define TL_FREQUENT_AS(name) TL_INLINE_AS(name)
#endif

/* ---- scopes ----------------------------------------------------------------------------------------------------- */

/* A scope's id, 1 to 65,535; 0 is none. */
typedef uint32_t tl_scope_id;

/* The id for a name: 1 to 255 bytes, copied; the same text gives the same id from any library of the process. 0 if the
 * name is null, empty or longer, or all ids are taken. Takes a lock: not for signal handlers. */
TL_API tl_scope_id tl_scope_register(const char* name) TL_API_AS(tl_scope_register);

/* Opens and closes a scope on the calling thread, stamped with rdtsc. Scopes nest; 1,024 may be open at once, deeper
 * ones are counted (too_deep) and harmless. An end that is not of the innermost scope is counted (mismatched): if that
 * scope is open further down it is recorded, and those above it wait for ends of their own (at most 16 do); if it is
 * not open nothing is touched. What never ends is reported as unfinished. */
TL_FREQUENT void tl_scope_begin(tl_scope_id id) TL_FREQUENT_AS(tl_scope_begin);
TL_FREQUENT void tl_scope_end(tl_scope_id id) TL_FREQUENT_AS(tl_scope_end);

/* The same with dearer stamps that are less easily moved about by the processor; begin and end may differ. Mid: rdtscp,
 * which waits for the instructions before it. Hard: begin lfence; rdtscp, end rdtscp; lfence, so that nothing that is
 * measured runs outside and nothing outside runs within. */
TL_API void tl_scope_begin_mid(tl_scope_id id) TL_API_AS(tl_scope_begin_mid);
TL_API void tl_scope_end_mid(tl_scope_id id) TL_API_AS(tl_scope_end_mid);
TL_API void tl_scope_begin_hard(tl_scope_id id) TL_API_AS(tl_scope_begin_hard);
TL_API void tl_scope_end_hard(tl_scope_id id) TL_API_AS(tl_scope_end_hard);

/* The next stage of a chain: ends the innermost scope and begins this one with a single stamp. Nothing open: begins.
 * Id 0: only ends. (In a signal handler the innermost scope may be the interrupted program's: begin one first.) */
TL_FREQUENT void tl_scope_next(tl_scope_id id) TL_FREQUENT_AS(tl_scope_next);

/* Begins a scope of an open loop: its service time counts from this call, its response time from `intended_ticks`, when
 * it should have begun. An intended time in the future gives a response equal to the service, counted as early; 0 means
 * service only. */
TL_FREQUENT void tl_scope_begin_at(tl_scope_id id, uint64_t intended_ticks) TL_FREQUENT_AS(tl_scope_begin_at);

/* ---- stamps ----------------------------------------------------------------------------------------------------- */

/* Now, in ticks, as the scopes of each mode take it. Without the library 0. */
TL_API uint64_t tl_ticks(void) TL_API_AS(tl_ticks);
TL_API uint64_t tl_ticks_mid(void) TL_API_AS(tl_ticks_mid);
TL_API uint64_t tl_ticks_hard_begin(void) TL_API_AS(tl_ticks_hard_begin);
TL_API uint64_t tl_ticks_hard_end(void) TL_API_AS(tl_ticks_hard_end);

/* Durations: ticks to nanoseconds and back, by what is known of the clock so far. The error is at most 100 ns divided
 * by the time since the program's start: 100 ppm after 1 ms, 0.1 ppm after a second. (A report calibrates over the
 * whole recording.) Negative and not-a-number give 0, and what is beyond the range its end. */
TL_API double tl_ns_from_ticks(uint64_t ticks) TL_API_AS(tl_ns_from_ticks);
TL_API uint64_t tl_ticks_from_ns(double ns) TL_API_AS(tl_ticks_from_ns);

/* ---- records of their own --------------------------------------------------------------------------------------- */

/* A scope whose stamps (tl_ticks...) the program carried: in a message, or taken on two threads. It counts for the
 * calling thread and stands outside the nesting, so self = total. Stamps from before the start or in the future are
 * taken as given; equal ones are a scope of 0; a begin after its end is a clock anomaly and no sample. */
TL_FREQUENT void tl_span(tl_scope_id id, uint64_t begin_ticks, uint64_t end_ticks) TL_FREQUENT_AS(tl_span);

/* Records the time since this thread's previous pulse of that id. A pause starts it anew. */
TL_FREQUENT void tl_pulse(tl_scope_id id) TL_FREQUENT_AS(tl_pulse);

/* A number of the program's, with percentiles of its own. Put the unit into the name: "markout_100ms [ticks]". */
TL_FREQUENT void tl_value(tl_scope_id id, int64_t value) TL_FREQUENT_AS(tl_value);

/* A message at this time, cut at 255 bytes. Null and empty ones are none. */
TL_API void tl_mark(const char* text) TL_API_AS(tl_mark);

/* ---- this thread's allocations ---------------------------------------------------------------------------------- */

/* Exact counts of the calling thread since its birth. The caller sets `size` to sizeof(tl_allocations). */
typedef struct tl_allocations {
  uint32_t size;
  uint32_t reserved;
  uint64_t count;  /* calls that asked for a block, from malloc to pvalloc, failed ones included */
  uint64_t bytes;  /* asked for by those that did not fail; of a realloc its whole new size */
  uint64_t frees;  /* calls of free, without free(NULL) */
  uint64_t failed; /* among count */
} tl_allocations;

/* 0, or -1 and nothing changed where the calls cannot be seen or are not counted (TL_ALLOC=off, no library, a malloc of
 * the program's own) or `out` is null or of a size that this library does not know. */
TL_API int tl_thread_allocations(tl_allocations* out) TL_API_AS(tl_thread_allocations);

/* ---- control ---------------------------------------------------------------------------------------------------- */

/* 1 while scopes are recorded, 0 while not: paused, disabled, or past the end. */
TL_API int tl_recording(void) TL_API_AS(tl_recording);

/* For the whole process, not nested. Scopes that are open across a pause are discarded and counted, and so is, since
 * begins in a pause are not seen, the first end of each id on a thread after one that finds no begin; allocation totals
 * go on. Not for signal handlers. */
TL_API void tl_pause(void) TL_API_AS(tl_pause);
TL_API void tl_resume(void) TL_API_AS(tl_resume);

/* Waits until all records that were made before this call are handed to the kernel (there is no fsync): 0. -1 after one
 * second, or where the dump cannot be written. Not for signal handlers. */
TL_API int tl_flush(void) TL_API_AS(tl_flush);

/* ---- identity --------------------------------------------------------------------------------------------------- */

/* The library's version as text ("" without it), and the number of its ABI (which grows when calls are added). */
TL_API const char* tl_version(void) TL_API_AS(tl_version);
TL_API uint32_t tl_abi_version(void) TL_API_AS(tl_abi_version);

/* ---- how they are reached --------------------------------------------------------------------------------------- */

/* Each call looks for the library's function, which the dynamic linker has put into the global offset table or not. A
 * weak function must be reached through that table and in no other way: else the linker settles for good that it is not
 * there. */
#if !defined(TL_IMPLEMENTATION)
#if defined(TL_DISABLE)
#define TL_FORWARD(result, name, parameters, arguments, absent) \
  TL_INLINE result name parameters { return absent; }
#define TL_FORWARD_VOID(name, parameters, arguments) \
  TL_INLINE void name parameters {}
#define TL_FORWARD_ACTIVE TL_FORWARD_VOID
#else
/* Left to themselves these reach a weak function by its address or through the PLT. */
#if defined(__x86_64__) && (defined(__clang__) || (defined(__code_model_large__) && !defined(__PIC__)))
#define TL_DECLARE(result, name, parameters)
#define TL_FIND(pointer, name) TL_FIND_BY_HAND(pointer, name)
#else
#if defined(__clang__)
#define TL_WEAK __attribute__((nothrow, visibility("default"), weak))
#else
/* Without noplt gcc takes the PLT's entry, which is always there. */
#define TL_WEAK __attribute__((nothrow, visibility("default"), weak, noplt))
#endif
#define TL_DECLARE(result, name, parameters) \
  extern result name##_if_there parameters TL_NOEXCEPT __asm__(#name) TL_WEAK;
#define TL_FIND(pointer, name) (pointer = name##_if_there)
#endif
#define TL_FIND_BY_HAND(pointer, name)                                                                           \
  __asm__(".weak " #name "\n\t{movq " #name "@GOTPCREL(%%rip), %0|mov %0, qword ptr [rip + " #name "@GOTPCREL]}" \
          : "=r"(pointer))
/* clang takes this from the type of a pointer, not from the attribute of the function around the call. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define TL_NOEXCEPT noexcept
#elif defined(__cplusplus)
#define TL_NOEXCEPT throw()
#else
#define TL_NOEXCEPT
#endif

/* A word of the library's, 0 while paused or switched off. It spares the frequent calls the call: to a library that
 * alone can take longer than all that a pause may cost. A library without it is always active. By hand, since a program
 * that is linked must not get a copy of it. */
#if !defined(__x86_64__)
extern const uint32_t tl_active __attribute__((weak, visibility("default")));
#endif
TL_INLINE int tl_is_active(void) {
  const uint32_t* active;
#if defined(__x86_64__)
  TL_FIND_BY_HAND(active, tl_active);
#else
  active = &tl_active;
#endif
  return active == NULL || __atomic_load_n(active, __ATOMIC_RELAXED) != 0;
}

#if defined(TL_LINKED)
#define TL_FORWARD_ACTIVE(name, parameters, arguments)                      \
  extern void name##_there parameters TL_NOEXCEPT __asm__(#name) TL_STRONG; \
  TL_INLINE void name parameters {                                          \
    if (tl_is_active()) name##_there arguments;                             \
  }
#else
#define TL_FORWARD(result, name, parameters, arguments, absent) \
  TL_DECLARE(result, name, parameters)                          \
  TL_INLINE result name parameters {                            \
    result(*function) parameters TL_NOEXCEPT;                   \
    TL_FIND(function, name);                                    \
    return function != NULL ? function arguments : absent;      \
  }
#define TL_FORWARD_VOID_IF(condition, name, parameters, arguments) \
  TL_DECLARE(void, name, parameters)                               \
  TL_INLINE void name parameters {                                 \
    void(*function) parameters TL_NOEXCEPT;                        \
    TL_FIND(function, name);                                       \
    if (function != NULL && condition) function arguments;         \
  }
#define TL_FORWARD_VOID(name, parameters, arguments) TL_FORWARD_VOID_IF(1, name, parameters, arguments)
#define TL_FORWARD_ACTIVE(name, parameters, arguments) TL_FORWARD_VOID_IF(tl_is_active(), name, parameters, arguments)
#endif
#endif

#if defined(TL_DISABLE)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
TL_FORWARD_ACTIVE(tl_scope_begin, (tl_scope_id id), (id))
TL_FORWARD_ACTIVE(tl_scope_end, (tl_scope_id id), (id))
TL_FORWARD_ACTIVE(tl_scope_next, (tl_scope_id id), (id))
TL_FORWARD_ACTIVE(tl_scope_begin_at, (tl_scope_id id, uint64_t intended_ticks), (id, intended_ticks))
TL_FORWARD_ACTIVE(tl_span, (tl_scope_id id, uint64_t begin_ticks, uint64_t end_ticks), (id, begin_ticks, end_ticks))
TL_FORWARD_ACTIVE(tl_pulse, (tl_scope_id id), (id))
TL_FORWARD_ACTIVE(tl_value, (tl_scope_id id, int64_t value), (id, value))
#if defined(TL_FORWARD)
TL_FORWARD(tl_scope_id, tl_scope_register, (const char* name), (name), 0)
TL_FORWARD_VOID(tl_scope_begin_mid, (tl_scope_id id), (id))
TL_FORWARD_VOID(tl_scope_end_mid, (tl_scope_id id), (id))
TL_FORWARD_VOID(tl_scope_begin_hard, (tl_scope_id id), (id))
TL_FORWARD_VOID(tl_scope_end_hard, (tl_scope_id id), (id))
TL_FORWARD(uint64_t, tl_ticks, (void), (), 0)
TL_FORWARD(uint64_t, tl_ticks_mid, (void), (), 0)
TL_FORWARD(uint64_t, tl_ticks_hard_begin, (void), (), 0)
TL_FORWARD(uint64_t, tl_ticks_hard_end, (void), (), 0)
TL_FORWARD(double, tl_ns_from_ticks, (uint64_t ticks), (ticks), 0)
TL_FORWARD(uint64_t, tl_ticks_from_ns, (double ns), (ns), 0)
TL_FORWARD_VOID(tl_mark, (const char* text), (text))
TL_FORWARD(int, tl_thread_allocations, (tl_allocations * out), (out), -1)
TL_FORWARD(int, tl_recording, (void), (), 0)
TL_FORWARD_VOID(tl_pause, (void), ())
TL_FORWARD_VOID(tl_resume, (void), ())
TL_FORWARD(int, tl_flush, (void), (), 0)
TL_FORWARD(const char*, tl_version, (void), (), "")
TL_FORWARD(uint32_t, tl_abi_version, (void), (), 0)
#endif
#if defined(TL_DISABLE)
#pragma GCC diagnostic pop
#endif
#endif /* TL_IMPLEMENTATION */

#if !defined(TL_DISABLE)
/* The id that a place in the program keeps (not for direct use). Acquire pairs with the release: who finds the id also
 * finds it registered. A name that can have no id is not tried again and again: its place keeps an id that is never
 * given. */
TL_INLINE tl_scope_id tl_id_kept_at(tl_scope_id* place, const char* name) {
  tl_scope_id id = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (__builtin_expect(id == 0, 0)) {
    id = tl_scope_register(name);
    if (id == 0) id = 0xffffffffu;
    __atomic_store_n(place, id, __ATOMIC_RELEASE);
  }
  return id;
}
#endif

#ifdef __cplusplus
}
#endif

#undef TL_API
#undef TL_API_AS
#undef TL_FREQUENT
#undef TL_FREQUENT_AS
#undef TL_STRONG
#undef TL_INLINE
#undef TL_INLINE_AS
#undef TL_FORWARD
#undef TL_FORWARD_VOID
#undef TL_FORWARD_VOID_IF
#undef TL_FORWARD_ACTIVE
#undef TL_DECLARE
#undef TL_FIND
#undef TL_FIND_BY_HAND
#undef TL_WEAK
#undef TL_NOEXCEPT

/* ---- scopes by name --------------------------------------------------------------------------------------------- */

/* TL_BEGIN("name") ... TL_END("name"): a scope by its name. TL_ID("name"), within a function: the id of a name, for the
 * other calls: tl_value(TL_ID("depth"), depth). The name must be a string literal; each macro registers it when it is
 * first passed, which is not for signal handlers, and keeps the id: one load and one predicted branch from then on. A
 * name that can have no id is not tried again. For a name in a variable use tl_scope_register. */
#if defined(TL_DISABLE)
#define TL_ID(name) ((void)sizeof("" name ""), 0u)
#define TL_BEGIN(name) ((void)sizeof("" name ""))
#define TL_END(name) ((void)sizeof("" name ""))
#else
#define TL_ID(name)                     \
  (__extension__({                      \
    static tl_scope_id tl_id_;          \
    tl_id_kept_at(&tl_id_, "" name ""); \
  }))
#define TL_BEGIN(name) tl_scope_begin(TL_ID(name))
#define TL_END(name) tl_scope_end(TL_ID(name))
#endif

#endif /* TELEMETRY_TELEMETRY_H */
