// paced THREADS BURSTS SCOPES PAUSE_US [MOMENTS]: each thread records BURSTS times SCOPES scopes, with a pause between
// them. With MOMENTS, a directory, main waits before burst k of its own, k from 1, until the file k is there if k.wait
// is: so a test can change the world in between.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

static tl_scope_id id;
static int bursts, scopes, pause_us;
static const char* moments;

static int exists(const char* format, int number) {
  char path[4096];
  snprintf(path, sizeof path, format, moments, number);
  return access(path, F_OK) == 0;
}

static void* record(void* is_main) {
  for (int i = 1; i <= bursts; ++i) {
    if (is_main && moments && exists("%s/%d.wait", i)) {
      printf("%d\n", i);
      fflush(stdout);
      while (!exists("%s/%d", i)) usleep(1000);
    }
    for (int k = 0; k < scopes; ++k) {
      tl_scope_begin(id);
      tl_scope_end(id);
    }
    if (pause_us) usleep((useconds_t)pause_us);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 5) return 1;
  const int threads = atoi(argv[1]);
  bursts = atoi(argv[2]), scopes = atoi(argv[3]), pause_us = atoi(argv[4]);
  moments = argc > 5 ? argv[5] : NULL;
  id = tl_scope_register("work");
  pthread_t* thread = calloc((size_t)threads, sizeof *thread);
  int made = 0;
  while (made < threads && pthread_create(&thread[made], NULL, record, NULL) == 0) ++made;
  record(&moments);
  for (int i = 0; i < made; ++i) pthread_join(thread[i], NULL);
  printf("%d threads\n", made);
  return made == threads ? 0 : 3;
}
