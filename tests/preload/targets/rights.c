// Records, allocates, makes a thread and a child, all of which a program that runs with other rights than its user's
// may do as well. Prints whose rights it has and whether it was recorded. Linked with the library.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static void* record(void* unused) {
  const tl_scope_id work = tl_scope_register("work");
  for (int i = 0; i < 1000; i++) {
    tl_scope_begin(work);
    free(malloc(100));
    tl_scope_end(work);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  int status = 0;
  record(NULL);
  pthread_create(&thread, NULL, record, NULL), pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) record(NULL), _exit(0);
  waitpid(child, &status, 0);
  printf("uid %d %d gid %d %d secure %d recording %d active %d\n", getuid(), geteuid(), getgid(), getegid(),
         (int)getauxval(AT_SECURE), tl_recording(), (int)tl_is_active());
  return status == 0 ? 4 : 1;
}
