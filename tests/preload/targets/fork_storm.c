// Case C2: 8 threads allocate and record without a pause, while argv[2] others (none: main) fork as often as argv[1]
// says, each. Each child allocates, records a scope, forks a grandchild that does nothing, and exits.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id busy, child_scope;
static atomic_int stop, bad;
static int forks = 2000;

static void* loop(void* unused) {
  unsigned long* rounds = unused;
  for (; !stop; ++*rounds) {
    tl_scope_begin(busy);
    free(malloc(*rounds % 1000));
    tl_scope_end(busy);
    if (*rounds % 64 == 0) usleep(100);
  }
  return NULL;
}

static void* fork_often(void* unused) {
  for (int i = 0; i < forks; i++) {
    const pid_t child = fork();
    if (child == 0) {
      void* volatile block = malloc(100);
      tl_scope_begin(child_scope), tl_scope_end(child_scope);
      free(block);
      const pid_t grandchild = fork();
      int status = -1;
      if (grandchild == 0) _exit(0);
      waitpid(grandchild, &status, 0);
      exit(status);
    }
    int status = -1;
    bad += waitpid(child, &status, 0) != child || status != 0;
  }
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[8], forkers[8];
  unsigned long rounds[8] = {0}, sum = 0;
  const int others = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 1) forks = atoi(argv[1]);
  busy = tl_scope_register("busy"), child_scope = tl_scope_register("child");
  alarm(60);
  for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, loop, &rounds[i]);
  for (int i = 0; i < others; i++) pthread_create(&forkers[i], NULL, fork_often, NULL);
  if (others == 0) fork_often(NULL);
  for (int i = 0; i < others; i++) pthread_join(forkers[i], NULL);
  stop = 1;
  for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL), sum += rounds[i];
  printf("%d %lu\n", bad, sum);
  return 0;
}
