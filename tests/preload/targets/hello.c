// Says its arguments and returns 7; as little as a program can be. Built statically too.
#include <stdio.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) puts(argv[i]);
  return 7;
}
