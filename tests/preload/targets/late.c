// Case C1 (c), (d): opens argv[1], touches its thread-local storage first in a worker; asks for a name that is not
// there.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char* (*touch)(int);

static void* worker(void* unused) {
  printf("%d\n", *touch(42));
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  int missing = 0;
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (library == NULL) return 1;
  *(void**)&touch = dlsym(library, "tls_touch");
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < 1000; ++i) {
    missing += dlsym(RTLD_DEFAULT, "there_is_no_such_name") == NULL;
    missing += strstr(dlerror(), "there_is_no_such_name") != NULL;
  }
  printf("%d\n", missing);
  return dlclose(library);
}
