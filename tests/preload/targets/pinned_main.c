// Pins its first thread to the CPU argv[1], then records, then waits for stdin.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

int main(int argc, char** argv) {
  const tl_scope_id id = tl_scope_register("work");
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) return 1;
  tl_scope_begin(id), tl_scope_end(id);
  puts("recorded"), fflush(stdout);
  return getchar() == EOF ? 0 : 2;
}
