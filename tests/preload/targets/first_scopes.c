// 64 threads, created after the process's first record and all alive at once: prints the page faults of each thread's
// first scope and the allocation calls in it, both over all of them, and how many threads there were.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static pthread_barrier_t all;
static long faults, allocations, threads;

static long faults_so_far(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

static void* thread(void* unused) {
  tl_allocations before = {.size = sizeof before}, after = before;
  pthread_barrier_wait(&all);  // whose return has touched the stack
  tl_thread_allocations(&before), tl_thread_allocations(&after);
  long count = faults_so_far();
  count = faults_so_far();
  tl_scope_begin(id);
  tl_scope_end(id);
  count = faults_so_far() - count;
  tl_thread_allocations(&after);
  __atomic_fetch_add(&faults, count, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&allocations, (long)(after.count - before.count), __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&threads, 1, __ATOMIC_SEQ_CST);
  pthread_barrier_wait(&all);
  return unused;
}

int main(void) {
  pthread_t others[64];
  id = tl_scope_register("first");
  pthread_barrier_init(&all, NULL, 64);
  tl_scope_begin(id), tl_scope_end(id);
  for (int i = 0; i < 64; i++) pthread_create(&others[i], NULL, thread, NULL);
  for (int i = 0; i < 64; i++) pthread_join(others[i], NULL);
  printf("%ld %ld %ld\n", faults, allocations, threads);
  return 0;
}
