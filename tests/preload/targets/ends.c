// Case C5: 1,000 scopes, 50 ms of rest, then the end that the argument names.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static void* kill_all(void* unused) {
  kill(getpid(), SIGKILL);
  return unused;
}

static int end_by(const char* way) {
  pthread_t thread;
  if (strcmp(way, "exit") == 0) exit(3);
  if (strcmp(way, "quick_exit") == 0) quick_exit(4);
  if (strcmp(way, "_exit") == 0) _exit(5);
  if (strcmp(way, "_Exit") == 0) _Exit(6);
  if (strcmp(way, "exit_group") == 0) syscall(SYS_exit_group, 7);
  if (strcmp(way, "abort") == 0) abort();
  if (strcmp(way, "SIGTERM") == 0) raise(SIGTERM);
  if (strcmp(way, "SIGINT") == 0) raise(SIGINT);
  if (strcmp(way, "SIGSEGV") == 0) raise(SIGSEGV);
  if (strcmp(way, "SIGKILL") == 0) pthread_create(&thread, NULL, kill_all, NULL);
  if (strcmp(way, "execve") == 0) execve("/bin/true", (char*[]){"true", NULL}, (char*[]){NULL});
  if (strcmp(way, "return") != 0) pause();
  return 2;
}

int main(int argc, char** argv) {
  const tl_scope_id id = tl_scope_register("work");
  for (int i = 0; i < 1000; ++i) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
  puts("worked");
  fflush(stdout);
  usleep(50000);
  return end_by(argc > 1 ? argv[1] : "return");
}
