// refused HOW: sets a limit on its memory (by setrlimit, prlimit, syscall or mlockall; inherited: it has one; asked:
// another process sets it once a line came on stdin), then asks for small blocks until it has none for 100 times.
// Prints how many it got and how many it did not; frees all.
#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

enum { kBytes = 1000, kFailures = 100 };

// Without capabilities, since for who may lock memory there is no limit; within the one that is there, or a lower one.
static int lock_future_memory(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  struct rlimit most;
  if (syscall(SYS_capset, &header, none) != 0 || getrlimit(RLIMIT_MEMLOCK, &most) != 0) return 1;
  if (most.rlim_cur > 64u << 20) most.rlim_cur = most.rlim_max = 64u << 20;
  return setrlimit(RLIMIT_MEMLOCK, &most) != 0 || mlockall(MCL_FUTURE) != 0;
}

static int limit(const char* how, rlim_t bytes) {
  const struct rlimit most = {bytes, bytes};
  if (strcmp(how, "setrlimit") == 0) return setrlimit(RLIMIT_AS, &most);
  if (strcmp(how, "data") == 0) return setrlimit(RLIMIT_DATA, &most);
  if (strcmp(how, "prlimit") == 0) return prlimit(0, RLIMIT_AS, &most, NULL);
  if (strcmp(how, "syscall") == 0) return (int)syscall(SYS_prlimit64, 0, RLIMIT_AS, &most, NULL);
  if (strcmp(how, "mlockall") == 0) return lock_future_memory();
  return 0;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "inherited";
  tl_scope_begin(tl_scope_register("run"));  // so that there is a drain
  tl_scope_end(tl_scope_register("run"));
  if (limit(how, (rlim_t)256 << 20) != 0) return 3;
  if (strcmp(how, "asked") == 0 && getchar() == EOF) return 4;
  void** last = NULL;
  long got = 0, failed = 0;
  while (failed < kFailures) {
    void** block = malloc(kBytes);
    if (block == NULL) {
      ++failed;
      continue;
    }
    *block = (void*)last;
    last = block;
    ++got;
  }
  for (void** next; last != NULL; last = next) {
    next = (void**)*last;
    free((void*)last);
  }
  char line[64];
  const int length = snprintf(line, sizeof line, "%ld %ld\n", got, failed);
  return write(STDOUT_FILENO, line, (size_t)length) == length ? 0 : 5;
}
