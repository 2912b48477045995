// Children and worlds that a library may overlook; each way prints how many scopes "work" were finished in all
// processes: odd_children WAY.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static volatile int stop;

static int record(int scopes) {
  for (int i = 0; i < scopes; ++i) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
  return scopes;
}

static int as_clone(void* unused) {
  (void)unused;
  record(50);
  return 0;
}

static void* exec_in_vain(void* unused) {
  while (!stop) execl("/nonexistent/program", "x", (char*)NULL);
  return unused;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  static char stack[65536];
  int made = 0;
  id = tl_scope_register("work");
  made += record(100);
  if (!strcmp(way, "clone")) {
    for (int i = 0; i < 5; ++i) {
      const pid_t child = clone(as_clone, stack + sizeof stack, SIGCHLD, NULL);
      made += 50 + record(20);
      if (child < 0 || waitpid(child, NULL, 0) != child) return 2;
    }
  }
  if (!strcmp(way, "beside_exec")) {
    pthread_t thread;
    pthread_create(&thread, NULL, exec_in_vain, NULL);
    for (int i = 0; i < 50; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        record(10);
        _exit(0);
      }
      made += 10;
      if (child < 0 || waitpid(child, NULL, 0) != child) return 2;
    }
    stop = 1;
    pthread_join(thread, NULL);
  }
  if (!strcmp(way, "own_shared_memory")) {
    made += record(200000);
    usleep(100000);
    const int fd = shm_open("/own", O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 1 << 20) != 0) return 3;
    char* own = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    memset(own, 1, 1 << 20);
    shm_unlink("/own");
  }
  printf("%d\n", made);
  fflush(stdout);
  if (!strcmp(way, "strict")) {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    record(1000);
    syscall(SYS_exit, 5);
  }
  return 0;
}
