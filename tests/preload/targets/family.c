// Processes that come from one another: argv[1] says how. Each records scopes "work": the first one 100, a forked child
// 20, a daemon 30, what an exec makes of a process 7 (or, in between, 50).
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

extern char** environ;
static char* self;

static void record(int scopes) {
  const tl_scope_id work = tl_scope_register("work");
  while (scopes-- > 0) tl_scope_begin(work), tl_scope_end(work);
}
static int status_of(pid_t child) {
  int status = -1;
  return waitpid(child, &status, 0) == child ? status : -1;
}
static int fork_and_record(int scopes) {
  const pid_t child = fork();
  if (child == 0) record(scopes), exit(3);
  return status_of(child);
}
static void* fork_on_thread(void* unused) { return (void*)(long)(unused == NULL ? fork_and_record(20) : 0); }
static void* record_on_thread(void* scopes) { return record((int)(long)scopes), NULL; }

static void threads_of_child(void) {  // the second thread comes first to record, the forking one last
  pthread_t first, second;
  pthread_create(&first, NULL, record_on_thread, (void*)0L), pthread_join(first, NULL);
  pthread_create(&second, NULL, record_on_thread, (void*)2L), pthread_join(second, NULL);
  record(5);
}

static void daemonize(const char* then) {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  close_range(0, ~0U, 0);
  for (int fd = 0; fd < 3; fd++) open("/dev/null", O_RDWR);
  usleep(50000);
  if (then) execl(self, self, then, (char*)NULL);
  record(30), exit(0);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  char command[4200];
  pthread_t thread;
  void* result = NULL;
  pid_t child;
  self = argv[0];
  if (!strcmp(way, "leaf")) return record(7), 0;
  if (!strcmp(way, "middle")) return record(50), execl(self, self, "leaf", (char*)NULL);
  record(100);
  snprintf(command, sizeof command, "%s leaf", self);
  if (!strcmp(way, "fork")) return WEXITSTATUS(fork_and_record(20));
  if (!strcmp(way, "thread"))
    return pthread_create(&thread, NULL, fork_on_thread, NULL), pthread_join(thread, &result),
           WEXITSTATUS((long)result);
  if (!strcmp(way, "threads")) return (child = fork()) == 0 ? threads_of_child(), 0 : status_of(child);
  if (!strcmp(way, "vfork")) return (child = vfork()) == 0 ? execl(self, self, "leaf", (char*)NULL) : status_of(child);
  if (!strcmp(way, "fork_exec"))
    return (child = fork()) == 0 ? execl(self, self, "leaf", (char*)NULL) : status_of(child);
  if (!strcmp(way, "spawn"))
    return posix_spawn(&child, self, NULL, NULL, (char*[]){self, "leaf", NULL}, environ), status_of(child);
  if (!strcmp(way, "system")) return system(command);
  if (!strcmp(way, "popen")) return pclose(popen(command, "r"));
  if (!strcmp(way, "chain")) return execl(self, self, "middle", (char*)NULL);
  if (!strcmp(way, "daemon")) daemonize(NULL), usleep(400000);
  if (!strcmp(way, "daemon_exec")) daemonize("leaf"), usleep(400000);
  return 0;
}
