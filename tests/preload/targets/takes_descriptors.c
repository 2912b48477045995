// Closes every descriptor but the standard ones, again and again, and uses the numbers for files of its own, as daemons
// and servers do; records meanwhile. Its files hold what it wrote into them: takes_descriptors DIRECTORY.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

int main(int argc, char** argv) {
  const tl_scope_id id = tl_scope_register("work");
  char path[4096], read_back[64];
  if (argc < 2) return 1;
  for (int round = 0; round < 100; ++round) {
    for (int fd = 3; fd < 256; ++fd) close(fd);
    int files[20];
    for (int i = 0; i < 20; ++i) {
      snprintf(path, sizeof path, "%s/%d", argv[1], i);
      files[i] = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
      if (files[i] != 3 + i) return 2;
      const int bytes = snprintf(path, sizeof path, "round %d of file %d", round, i);
      if (write(files[i], path, (size_t)bytes) != bytes) return 3;
    }
    for (int i = 0; i < 1000; ++i) {
      tl_scope_begin(id);
      tl_scope_end(id);
    }
    if (round % 10 == 0) usleep(20000);
    for (int i = 0; i < 20; ++i) {
      const int bytes = snprintf(path, sizeof path, "round %d of file %d", round, i);
      if (pread(files[i], read_back, sizeof read_back, 0) != bytes || memcmp(read_back, path, (size_t)bytes) != 0)
        return 4;
    }
  }
  return 0;
}
