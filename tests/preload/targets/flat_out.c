// Threads that record without a pause until the process ends under them, and count what they did where others can see
// it: flat_out WAY THREADS SECONDS FILE. FILE gets a number of 8 bytes a thread, in order, each in a line of its own;
// it moves after the calls have returned, so it is at most one pair behind.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

enum { kMaxThreads = 64 };
static tl_scope_id id;
static volatile unsigned long* counts;  // one a cache line

static void* record(void* place) {
  volatile unsigned long* count = place;
  while (place != NULL) {
    tl_scope_begin(id);
    tl_scope_end(id);
    *count += 1;
  }
  return NULL;
}

int main(int argc, char** argv) {
  const char* way = argv[1];
  const int threads = atoi(argv[2]);
  const int file = open(argv[4], O_RDWR | O_CREAT, 0600);
  if (argc < 5 || threads > kMaxThreads || file < 0 || ftruncate(file, kMaxThreads * 64) != 0) return 1;
  counts = mmap(NULL, kMaxThreads * 64, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  id = tl_scope_register("work");
  pthread_t thread;
  for (int i = 0; i < threads; ++i) pthread_create(&thread, NULL, record, (void*)(counts + i * 8));
  puts("ready");
  fflush(stdout);
  usleep((useconds_t)(atof(argv[3]) * 1e6));
  if (strcmp(way, "_exit") == 0) _exit(5);
  if (strcmp(way, "exit") == 0) exit(3);
  if (strcmp(way, "quick_exit") == 0) quick_exit(4);
  if (strcmp(way, "exit_group") == 0) syscall(SYS_exit_group, 7);
  if (strcmp(way, "execve") == 0) execve("/bin/true", (char*[]){"true", NULL}, (char*[]){NULL});
  if (strcmp(way, "failed_exec") == 0) {
    for (int i = 0; i < 20; ++i) execve("/nonexistent", (char*[]){"x", NULL}, (char*[]){NULL}), usleep(1000);
    _exit(6);
  }
  if (strcmp(way, "pthread_exit") == 0) alarm(1), pthread_exit(NULL);
  if (strcmp(way, "abort") == 0) abort();
  kill(getpid(), SIGKILL);
  return 2;
}
