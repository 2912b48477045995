// two_hot N SECONDS: N threads that record now and then, two of which record flat out.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static volatile int stop;

static void record(int scopes) {
  for (int i = 0; i < scopes; ++i) {
    tl_scope_begin(id);
    tl_scope_end(id);
  }
}

static void* be_hot(void* unused) {
  while (!stop) record(1000);
  return unused;
}

static void* be_cool(void* unused) {
  while (!stop) record(10), usleep(10000);
  return unused;
}

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const int n = atoi(argv[1]);
  pthread_t* threads = calloc((size_t)n, sizeof *threads);
  id = tl_scope_register("work");
  for (int i = 0; i < n; ++i)
    if (pthread_create(&threads[i], NULL, i < 2 ? be_hot : be_cool, NULL) != 0) return 3;
  usleep(50000);
  puts("ready");
  fflush(stdout);
  usleep((useconds_t)(atof(argv[2]) * 1e6));
  stop = 1;
  for (int i = 0; i < n; ++i) pthread_join(threads[i], NULL);
  return 0;
}
