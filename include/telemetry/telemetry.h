/* libtelemetry: scopes of a program, timed to the tick and kept.
 *
 * A program that links the library records whenever it runs, into TL_OUTPUT (telemetry.PROGRAM.PID.START.tl in the
 * current directory unless told otherwise); TL_DISABLE=1 in its environment turns that off.
 *
 * C99 and C++. What holds for every function here unless it says otherwise:
 *   - ids come from tl_scope_register; 0 and ids that were never given are a no-op (a begin among them is counted as a
 *     lost record, cause bad_id);
 *   - recording never fails, blocks, allocates, throws or changes errno: what cannot be kept is counted and reported;
 *   - any thread may record, and so may a signal handler; registering takes a lock and is not for signal handlers;
 *   - the program may run without the library: then every call is a predicted branch, and nothing is recorded.
 *
 * A program that links the library defines TL_LINKED (the CMake target telemetry does) to get ordinary references; one
 * that is meant for LD_PRELOAD does not, and gets weak ones (from clang with -fPIE only). TL_DISABLE leaves no code at
 * all.
 */
#ifndef TELEMETRY_TELEMETRY_H
#define TELEMETRY_TELEMETRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scope's id, 1 to 65,535; 0 is none. */
typedef uint32_t tl_scope_id;

#if defined(TL_DISABLE)

static inline tl_scope_id tl_scope_register(const char* name) {
  (void)name;
  return 0;
}
static inline void tl_scope_begin(tl_scope_id id) { (void)id; }
static inline void tl_scope_end(tl_scope_id id) { (void)id; }
static inline const char* tl_version(void) { return ""; }
static inline uint32_t tl_abi_version(void) { return 0; }

#else

#if defined(TL_LINKED)
#define TL_API
#elif defined(__clang__)
#define TL_API __attribute__((weak))
#else
/* gcc resolves a weak function that is not there to a PLT entry in programs without PIE; noplt makes it null. */
#define TL_API __attribute__((weak, noplt))
#endif

/* The id for a name: 1 to 255 bytes, copied; the same text gives the same id from any library of the process. 0 if the
 * name is null, empty or longer, or all ids are taken. Takes a lock. */
TL_API tl_scope_id tl_scope_register(const char* name);

/* Opens and closes a scope on the calling thread, stamped with rdtsc. Scopes nest; 1,024 may be open at once, deeper
 * ones are counted (too_deep) and harmless. An end that is not of the innermost scope is counted (mismatched): if that
 * scope is open further down it is recorded, and those above it wait for ends of their own; if it is not open nothing
 * is touched. */
TL_API void tl_scope_begin(tl_scope_id id);
TL_API void tl_scope_end(tl_scope_id id);

/* The library's version as text, and the number of its ABI (which grows when calls are added). Static storage. */
TL_API const char* tl_version(void);
TL_API uint32_t tl_abi_version(void);

#endif /* TL_DISABLE */

#ifdef __cplusplus
}
#endif

/* TL_BEGIN("name") ... TL_END("name"): a scope by its name, which must be a string literal: each macro registers it
 * once and keeps the id. For a name in a variable use tl_scope_register and tl_scope_begin. */
#if defined(TL_DISABLE)
#define TL_BEGIN(name) ((void)0)
#define TL_END(name) ((void)0)
#else
#if defined(TL_LINKED)
#define TL_IS_THERE(function) 1
#else
#define TL_IS_THERE(function) ((function) != NULL)
#endif
#define TL_WITH_ID(name, call)                                            \
  do {                                                                    \
    static tl_scope_id tl_id_;                                            \
    if (TL_IS_THERE(call)) {                                              \
      tl_scope_id tl_known_ = __atomic_load_n(&tl_id_, __ATOMIC_RELAXED); \
      if (__builtin_expect(tl_known_ == 0, 0)) {                          \
        tl_known_ = tl_scope_register("" name "");                        \
        __atomic_store_n(&tl_id_, tl_known_, __ATOMIC_RELAXED);           \
      }                                                                   \
      call(tl_known_);                                                    \
    }                                                                     \
  } while (0)
#define TL_BEGIN(name) TL_WITH_ID(name, tl_scope_begin)
#define TL_END(name) TL_WITH_ID(name, tl_scope_end)
#endif

#endif /* TELEMETRY_TELEMETRY_H */
