// Known allocation calls on main and two threads, between two questions for the counts. Prints the differences (count,
// bytes, frees, failed) beside what the program made; or what the question returned and changed.
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <telemetry/telemetry.h>

static volatile size_t huge = SIZE_MAX / 2;

static void* work(void* rounds) {
  tl_allocations before = {.size = sizeof before}, after = before;
  uint64_t count = 0, bytes = 0, frees = 0, failed = 0;
  if (tl_thread_allocations(&before) != 0) return puts("-1") < 0 ? rounds : NULL;
  for (intptr_t i = 0; i < (intptr_t)rounds; i++) {
    void* block = malloc(100 + (size_t)i);
    count++, bytes += 100 + (size_t)i;
    void* more = realloc(block, 300);
    count++, bytes += 300;
    void* zeroed = calloc(7, 9);
    count++, bytes += 63;
    void* aligned = NULL;
    count++, bytes += posix_memalign(&aligned, 64, 1000) == 0 ? 1000 : 0;
    if (malloc(huge) == NULL) count++, failed++;
    if (realloc(zeroed, huge) == NULL) count++, failed++;
    free(more), free(zeroed), free(aligned), free(NULL);
    frees += 3;
  }
  if (tl_thread_allocations(&after) != 0) return NULL;
  printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " of %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
         after.count - before.count, after.bytes - before.bytes, after.frees - before.frees,
         after.failed - before.failed, count, bytes, frees, failed);
  return NULL;
}

int main(void) {
  pthread_t other;
  tl_allocations out, same;
  puts("sizes");  // which has stdout's buffer made
  for (uint32_t size = 0; size < sizeof out; size += 4) {
    memset(&out, 0x5a, sizeof out), out.size = size, same = out;
    printf("%d%s", tl_thread_allocations(&out), memcmp(&out, &same, sizeof out) ? " changed " : " ");
  }
  printf("%d\n", tl_thread_allocations(NULL));
  work((void*)1000);
  for (intptr_t i = 1; i <= 2; i++) pthread_create(&other, NULL, work, (void*)(i * 10)), pthread_join(other, NULL);
  return 0;
}
