// Stands in for the library: says what it was called with, and gives back what no absent library would.
#define TL_IMPLEMENTATION
#include <stdio.h>
#include <telemetry/telemetry.h>

#define SAYS_ID(name) \
  void name(tl_scope_id id) { printf(#name " %u\n", id); }
SAYS_ID(tl_scope_begin)
SAYS_ID(tl_scope_end)
SAYS_ID(tl_scope_begin_mid)
SAYS_ID(tl_scope_end_mid)
SAYS_ID(tl_scope_begin_hard)
SAYS_ID(tl_scope_end_hard)
SAYS_ID(tl_scope_next)
SAYS_ID(tl_pulse)

#define GIVES(type, name, value) \
  type name(void) { return value; }
GIVES(uint64_t, tl_ticks, 0x1111111111111111)
GIVES(uint64_t, tl_ticks_mid, 0x2222222222222222)
GIVES(uint64_t, tl_ticks_hard_begin, 0x3333333333333333)
GIVES(uint64_t, tl_ticks_hard_end, 0x4444444444444444)
GIVES(int, tl_flush, -1)
GIVES(const char*, tl_version, "stand-in")
GIVES(uint32_t, tl_abi_version, 0xffffffff)

// An id that tells the name; none for the empty one.
tl_scope_id tl_scope_register(const char* name) { return name[0] == '\0' ? 0 : 1000u + (unsigned char)name[0]; }
void tl_scope_begin_at(tl_scope_id id, uint64_t ticks) {
  printf("tl_scope_begin_at %u %llx\n", id, (unsigned long long)ticks);
}
void tl_span(tl_scope_id id, uint64_t begin, uint64_t end) {
  printf("tl_span %u %llx %llx\n", id, (unsigned long long)begin, (unsigned long long)end);
}
void tl_value(tl_scope_id id, int64_t value) { printf("tl_value %u %lld\n", id, (long long)value); }
void tl_mark(const char* text) { printf("tl_mark %s\n", text); }
static int recording = 1;
int tl_recording(void) { return recording; }
void tl_pause(void) {
  printf("tl_pause\n");
  recording = 0;
}
void tl_resume(void) {
  printf("tl_resume\n");
  recording = 1;
}
double tl_ns_from_ticks(uint64_t ticks) { return (double)ticks * 0.5; }
uint64_t tl_ticks_from_ns(double ns) { return (uint64_t)(ns * 2); }
int tl_thread_allocations(tl_allocations* out) {
  static uint64_t calls;
  ++calls;
  out->count = out->size + calls;
  out->bytes = calls * calls;
  return 0;
}
