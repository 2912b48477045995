/* Makes every call of the ABI twice, as written and by its address, and says what comes back. C99 and C++. */
#include <stdio.h>
#include <telemetry/telemetry.h>

#define ADDRESS_OF(result, name, parameters) static result(*volatile by_address_##name) parameters = name;
#define EVERY_CALL(X)                                 \
  X(tl_scope_id, tl_scope_register, (const char*))    \
  X(void, tl_scope_begin, (tl_scope_id))              \
  X(void, tl_scope_end, (tl_scope_id))                \
  X(void, tl_scope_begin_mid, (tl_scope_id))          \
  X(void, tl_scope_end_mid, (tl_scope_id))            \
  X(void, tl_scope_begin_hard, (tl_scope_id))         \
  X(void, tl_scope_end_hard, (tl_scope_id))           \
  X(void, tl_scope_next, (tl_scope_id))               \
  X(void, tl_scope_begin_at, (tl_scope_id, uint64_t)) \
  X(uint64_t, tl_ticks, (void))                       \
  X(uint64_t, tl_ticks_mid, (void))                   \
  X(uint64_t, tl_ticks_hard_begin, (void))            \
  X(uint64_t, tl_ticks_hard_end, (void))              \
  X(double, tl_ns_from_ticks, (uint64_t))             \
  X(uint64_t, tl_ticks_from_ns, (double))             \
  X(void, tl_span, (tl_scope_id, uint64_t, uint64_t)) \
  X(void, tl_pulse, (tl_scope_id))                    \
  X(void, tl_value, (tl_scope_id, int64_t))           \
  X(void, tl_mark, (const char*))                     \
  X(int, tl_thread_allocations, (tl_allocations*))    \
  X(int, tl_recording, (void))                        \
  X(void, tl_pause, (void))                           \
  X(void, tl_resume, (void))                          \
  X(int, tl_flush, (void))                            \
  X(const char*, tl_version, (void))                  \
  X(uint32_t, tl_abi_version, (void))
EVERY_CALL(ADDRESS_OF)

#define SHOW(type, value) printf(#type " %llx\n", (unsigned long long)(value))
#define MAKE_EVERY_CALL(F)                                                                          \
  do {                                                                                              \
    tl_allocations allocations = {sizeof(tl_allocations), 0, 0, 0, 0, 0};                           \
    const tl_scope_id id = F(tl_scope_register)("id");                                              \
    SHOW(tl_scope_register, id);                                                                    \
    F(tl_scope_begin)(id), F(tl_scope_begin_mid)(id + 1), F(tl_scope_begin_hard)(id + 2);           \
    F(tl_scope_end_hard)(id + 3), F(tl_scope_end_mid)(id + 4), F(tl_scope_end)(id + 5);             \
    F(tl_scope_next)(id + 6), F(tl_scope_begin_at)(id + 7, 0x123456789abcdef), F(tl_pulse)(id + 8); \
    F(tl_span)(id, 0x1000000000000001, 0x2000000000000002);                                         \
    F(tl_value)(id, -5000000000), F(tl_mark)("text"), F(tl_pause)(), F(tl_resume)();                \
    SHOW(tl_ticks, F(tl_ticks)()), SHOW(tl_ticks_mid, F(tl_ticks_mid)());                           \
    SHOW(tl_ticks_hard_begin, F(tl_ticks_hard_begin)());                                            \
    SHOW(tl_ticks_hard_end, F(tl_ticks_hard_end)());                                                \
    printf("tl_ns_from_ticks %g\n", F(tl_ns_from_ticks)(5));                                        \
    SHOW(tl_ticks_from_ns, F(tl_ticks_from_ns)(2.5));                                               \
    printf("tl_thread_allocations %d", F(tl_thread_allocations)(&allocations));                     \
    printf(" %llx\n", (unsigned long long)allocations.count);                                       \
    printf("tl_recording %d, tl_flush %d\n", F(tl_recording)(), F(tl_flush)());                     \
    printf("tl_version '%s', tl_abi_version %x\n", F(tl_version)(), (unsigned)F(tl_abi_version)()); \
  } while (0)
#define DIRECT(name) name
#define BY_ADDRESS(name) by_address_##name

int main(void) {
  MAKE_EVERY_CALL(DIRECT);
  printf("by address\n");
  MAKE_EVERY_CALL(BY_ADDRESS);
  return 0;
}
