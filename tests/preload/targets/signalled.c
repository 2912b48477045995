// Waits for SIGUSR1 (status 20) or SIGTERM (status 21), which it handles; says "ready" first.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void leave(int number) { _exit(number == SIGUSR1 ? 20 : 21); }

int main(void) {
  signal(SIGUSR1, leave);
  signal(SIGTERM, leave);
  puts("ready");
  fflush(stdout);
  while (1) pause();
}
