// A program that uses its limits up: tight AS|LOCKED takes memory block by block until it gets no more, records as it
// goes, and prints how many MiB it got. With the library it gets nearly as many.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <telemetry/telemetry.h>

int main(int argc, char** argv) {
  const tl_scope_id id = tl_scope_register("work");
  if (argc > 1 && strcmp(argv[1], "LOCKED") == 0 && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return 2;
  int blocks = 0;
  for (;;) {
    for (int i = 0; i < 20000; ++i) {
      tl_scope_begin(id);
      tl_scope_end(id);
    }
    void* block = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) break;
    ++blocks;
  }
  printf("%d\n", blocks);
  return 0;
}
