// Records slowly: argv[1] times a tenth of a second with 1,000 scopes "step" and one "round" around them; with argv[2]
// it then kills itself.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <telemetry/telemetry.h>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  tl_scope_id step = tl_scope_register("step"), round = tl_scope_register("round");
  for (int i = atoi(argv[1]); i > 0; i--) {
    tl_scope_begin(round);
    for (int k = 0; k < 1000; k++) tl_scope_begin(step), tl_scope_end(step);
    tl_scope_end(round);
    usleep(100000);
  }
  if (argc > 2) raise(SIGKILL);
  return 0;
}
