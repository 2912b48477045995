// Creates 50 threads, one after the other, and names each at once from outside; prints on how many CPUs each may run.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t named;

static void* work(void* cpus) {
  cpu_set_t set;
  sem_wait(&named);
  sched_getaffinity(0, sizeof set, &set);
  *(int*)cpus = CPU_COUNT(&set);
  return NULL;
}

int main(void) {
  sem_init(&named, 0, 0);
  for (int i = 0; i < 50; i++) {
    pthread_t thread;
    int cpus = 0;
    pthread_create(&thread, NULL, work, &cpus);
    pthread_setname_np(thread, "worker");
    sem_post(&named);
    pthread_join(thread, NULL);
    printf("%d\n", cpus);
  }
  return 0;
}
