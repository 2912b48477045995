// Records argv[1] empty scopes, stages and pulses, in argv[2] parts with a rest of 10 ms after each; argv[3]: in a
// forked child, after one scope of its own. Prints the resolution of the kernel's clock (ns).
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

int main(int argc, char** argv) {
  const int scopes = argc > 1 ? atoi(argv[1]) : 1, parts = argc > 2 ? atoi(argv[2]) : 0;
  const tl_scope_id empty = tl_scope_register("empty"), stage = tl_scope_register("stage");
  const tl_scope_id pulse = tl_scope_register("pulse");
  struct timespec resolution;
  if (argc > 3) {
    tl_scope_begin(stage), tl_scope_end(stage);
    int status;
    const pid_t child = fork();
    if (child != 0) return waitpid(child, &status, 0) != child || status != 0;
  }
  for (int part = 0; part == 0 || part < parts; part++) {
    for (int i = 0; i < scopes; i++) tl_scope_begin(empty), tl_scope_end(empty);
    for (int i = 0; i < scopes; i++) tl_scope_next(stage);
    tl_scope_next(0);
    for (int i = 0; i < scopes; i++) tl_pulse(pulse);
    if (parts > 0) usleep(10000);
  }
  clock_getres(CLOCK_MONOTONIC_RAW, &resolution);
  printf("%ld\n", resolution.tv_nsec);
  return 0;
}
