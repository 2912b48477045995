// What a pause is not to touch. argv[1], "ended": a scope that a thread left open when it ended, before the pause;
// "begun": one that begins after it and does not end; "born": an end without a begin on a thread born after it.
#include <pthread.h>
#include <string.h>

#include <telemetry/telemetry.h>

static void* leave_open(void* id) {
  tl_scope_begin(*(tl_scope_id*)id);
  return NULL;
}
static void* end_only(void* id) {
  tl_scope_end(*(tl_scope_id*)id);
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t other;
  tl_scope_id warm = tl_scope_register("warm"), scope = tl_scope_register("scope");
  const char* what = argc > 1 ? argv[1] : "";
  tl_scope_begin(warm), tl_scope_end(warm);
  if (!strcmp(what, "ended")) pthread_create(&other, NULL, leave_open, &scope), pthread_join(other, NULL);
  tl_pause(), tl_resume();
  if (!strcmp(what, "begun")) tl_scope_begin(scope);
  if (!strcmp(what, "born")) pthread_create(&other, NULL, end_only, &scope), pthread_join(other, NULL);
  return 0;
}
