// seeds DIRECTORY: the corpus that fuzzing begins with, made by the code that tests make dumps with.
#include <cstdio>

#include "../dump/good_dump.h"

int main(int argc, char** argv) {
  using namespace tl::test;
  if (argc != 2) {
    std::fprintf(stderr, "usage: seeds DIRECTORY\n");
    return 2;
  }
  DumpBuilder small;
  small.process().anchor(0, 0).names({"a"}).warning("code", "text").scopes(0, 0, {{100, 10, 1}}).end(200, 1);
  const std::string rich = rich_dump();
  const std::string seeds[] = {small.bytes(), good_dump(40), later_part(), rich, rich.substr(0, rich.size() / 2)};
  int n = 0;
  for (const std::string& seed : seeds)
    for (const char how : {'\0', '\1', '\3'})
      std::ofstream(std::string(argv[1]) + "/seed" + std::to_string(n++), std::ios::binary) << how << seed;
  return 0;
}
