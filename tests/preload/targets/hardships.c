// What programs do that a library in them must bear. Each way records a known number of scopes.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static volatile int forks;

static void record(int scopes) {
  for (int i = 0; i < scopes; i++) {
    tl_scope_begin(id);
    void* volatile block = malloc(100);
    free(block);
    tl_scope_end(id);
  }
}

static void on_alarm(int number) {
  (void)number;
  if (forks >= 100 || forks++ >= 100 || fork() != 0) return;
  signal(SIGALRM, SIG_IGN);
  forks = 1000;  // the child runs on in the interrupted code
}

static int fork_in_handler(void) {
  const pid_t self = getpid();
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 1500}, {0, 1500}};
  setitimer(ITIMER_REAL, &every, NULL);
  while (forks < 100) tl_scope_begin(id), tl_scope_end(id);
  if (getpid() != self) _exit(0);
  signal(SIGALRM, SIG_IGN);
  int status, bad = 0;
  while (waitpid(-1, &status, 0) > 0 || errno == EINTR) bad += status != 0;
  return bad;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  id = tl_scope_register("work");
  record(1000);
  if (!strcmp(way, "fork_in_handler")) return fork_in_handler();
  if (!strcmp(way, "raw_exit")) syscall(SYS_exit, 7);
  if (!strcmp(way, "raw_fork")) {
    const long child = syscall(SYS_fork);
    record(500);
    return child == 0 ? 0 : waitpid((pid_t)child, NULL, 0) != child;
  }
  if (!strcmp(way, "failed_exec")) execl("/nonexistent", "x", (char*)NULL), record(2000), raise(SIGKILL);
  if (!strcmp(way, "confined")) {
    // Whatever opens, maps a file or makes a thread is fatal now, as in a sandbox.
#define FATAL(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
    struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                 FATAL(SYS_openat),
                                 FATAL(SYS_clone),
                                 FATAL(SYS_getpid),
                                 FATAL(SYS_fallocate),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter)) return 1;
    record(20000);
  }
  if (!strcmp(way, "users")) {
    char command[100];
    if (setgid(65534) || setuid(65534)) return 1;
    snprintf(command, sizeof command, "cat /proc/%d/task/*/status | grep -E '^[UG]id:' | sort -u", getpid());
    return system(command);
  }
  return 0;
}
