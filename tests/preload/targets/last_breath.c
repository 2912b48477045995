// Ends that come in an odd way. Each records a known number of scopes named "work", some of them at the last moment,
// and leaves "open" begun: last_breath WAY prints the number first.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id, left_open;
static int late_scopes;

static void record(int scopes) {
  for (int i = 0; i < scopes; ++i) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
}

static void announce(int scopes) {
  printf("%d\n", scopes);
  fflush(stdout);
}

__attribute__((destructor)) static void in_destructor(void) { record(late_scopes); }
static void in_exit_handler(void) { record(10); }

static void on_fault(int number) {
  record(10);
  signal(number, SIG_DFL);
  raise(number);
}

static void on_fault_and_exit(int number) {
  record(10);
  _exit(number);
}

static void on_another_stack(void (*handler)(int)) {
  static char stack[65536];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, NULL);
}

static int overflow(volatile char* above, long depth) {
  volatile char here[4096];
  here[0] = above != NULL ? above[0] : 0;
  return depth == 0 ? 0 : overflow(here, depth - 1) + here[0];
}

static void* never_stop(void* unused) {
  while (unused == NULL) pause();
  return unused;
}

static void* exit_here(void* unused) {
  record(10);
  exit(unused == NULL ? 9 : 0);
}

static void* outlive_main(void* unused) {
  usleep(100000);
  record(10);
  return unused;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  pthread_t thread;
  id = tl_scope_register("work");
  left_open = tl_scope_register("open");
  tl_scope_begin(left_open);
  record(100);
  if (!strcmp(way, "fault_on_another_stack")) {
    announce(110), on_another_stack(on_fault);
    *(volatile int*)(long)(argc - 2) = 1;
  }
  if (!strcmp(way, "overflow")) announce(110), on_another_stack(on_fault_and_exit), overflow(NULL, 1L << 40);
  if (!strcmp(way, "destructors")) {
    announce(130), late_scopes = 20, atexit(in_exit_handler);
    return 4;
  }
  if (!strcmp(way, "detached")) {
    announce(100);
    for (int i = 0; i < 8; ++i) pthread_create(&thread, NULL, never_stop, NULL), pthread_detach(thread);
    return 5;
  }
  if (!strcmp(way, "exit_on_a_thread")) {
    announce(120), atexit(in_exit_handler);
    pthread_create(&thread, NULL, exit_here, NULL);
    pause();
  }
  if (!strcmp(way, "main_leaves")) {
    announce(110);
    pthread_create(&thread, NULL, outlive_main, NULL);
    pthread_exit(NULL);
  }
  if (!strcmp(way, "cancelled_main")) {
    announce(110);
    pthread_create(&thread, NULL, outlive_main, NULL);
    pthread_cancel(pthread_self());
    pause();
  }
  return 1;
}
