// Records, and between records makes the calls that the kernel grants to processes of one thread only. Prints what each
// gave. argv[1] "thread": with another thread alive.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id work;

static void record(void) {
  for (int i = 0; i < 1000; i++) tl_scope_begin(work), tl_scope_end(work);
}
static void* forever(void* unused) { return pause(), unused; }

#define TRY(call) (errno = 0, printf("%s %ld", #call, (long)(call)), printf(" %d\n", errno), record())

int main(int argc, char** argv) {
  pthread_t other;
  const int mounts = open("/proc/self/ns/mnt", O_RDONLY), users = open("/proc/self/ns/user", O_RDONLY);
  work = tl_scope_register("work");
  record();
  if (argc > 1 && !strcmp(argv[1], "thread")) pthread_create(&other, NULL, forever, NULL);
  TRY(setns(mounts, 0));
  TRY(setns(mounts, CLONE_NEWNS));
  TRY(setns(users, CLONE_NEWUSER));
  TRY(syscall(SYS_setns, mounts, CLONE_NEWNS));
  TRY(setns(-1, 0));
  TRY(unshare(CLONE_FS));
  TRY(unshare(1));
  TRY(unshare(CLONE_SIGHAND));
  TRY(unshare(CLONE_NEWUSER));
  TRY(syscall(SYS_unshare, CLONE_NEWUSER));
  TRY(unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS));
  return 0;
}
