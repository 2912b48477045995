// Scopes that allocate: what each run of them asks for is known. On main and, in half as many rounds, on a thread.
#include <pthread.h>
#include <stdlib.h>

#include <telemetry/telemetry.h>

enum { kDeep = 40 };

static tl_scope_id outer, inner, none, again, first, second, deep;
static void* volatile kept;

static void ask(size_t bytes) {
  kept = malloc(bytes);
  free(kept);
}

static void* work(void* rounds) {
  for (long i = 0; i < (long)rounds; ++i) {
    tl_scope_begin(outer);
    ask(100);
    tl_scope_begin(inner);
    if (i % 10 == 0) ask(50);
    tl_scope_end(inner);
    ask(3000);
    tl_scope_end(outer);
    tl_scope_begin(none);
    tl_scope_end(none);
    ask(7);  // in no scope
    tl_scope_begin(again);
    tl_scope_begin_mid(again);
    kept = calloc(10, 10);
    kept = realloc(kept, 500);
    free(kept);
    tl_scope_end_mid(again);
    tl_scope_end(again);
    tl_scope_next(first);
    tl_scope_next(second);
    ask(1);
    tl_scope_next(0);
    tl_scope_begin_at(first, tl_ticks());
    ask(20);
    tl_scope_end(first);
    tl_scope_begin(outer);
    tl_scope_begin(inner);
    ask(5);
    tl_scope_end(outer);  // the wrong one: inner waits for its end
    ask(6);
    tl_scope_end(inner);
    for (int level = 0; level < kDeep; ++level) {
      tl_scope_begin(deep);
      ask(9);
    }
    for (int level = 0; level < kDeep; ++level) {
      ask(9);
      tl_scope_end(deep);
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 100;
  pthread_t thread;
  outer = tl_scope_register("outer"), inner = tl_scope_register("inner"), none = tl_scope_register("none");
  again = tl_scope_register("again"), first = tl_scope_register("first"), second = tl_scope_register("second");
  deep = tl_scope_register("deep");
  work((void*)rounds);
  if (pthread_create(&thread, NULL, work, (void*)(rounds / 2)) != 0) return 3;
  return pthread_join(thread, NULL);
}
