// Three threads; prints the CPUs that each may use, before and after it is named. The last is named by prctl.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static const char* const names[] = {"", "feed", "parser", "writer"};

static void say(long number, const char* when) {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  printf("%ld %s:", number, when);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) printf(" %d", cpu);
  puts("");
}

static void* thread(void* argument) {
  const long number = (long)argument;
  say(number, "born");
  if (number == 3)
    prctl(PR_SET_NAME, names[number]);
  else
    pthread_setname_np(pthread_self(), names[number]);
  free(malloc(10));
  say(number, "named");
  return NULL;
}

int main(void) {
  say(0, "born");
  for (long i = 1; i <= 3; ++i) {
    pthread_t other;
    pthread_create(&other, NULL, thread, (void*)i);
    pthread_join(other, NULL);
  }
  return 0;
}
