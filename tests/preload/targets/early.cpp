// Case C1 (b): the program beside early_dso.cpp, with a global constructor of its own.
#include <cstdio>
#include <memory>

extern "C" unsigned long early_words();

namespace {
const auto own = std::make_unique<unsigned long>(early_words());
}

int main() {
  std::printf("%lu %lu\n", *own, early_words());
  return 0;
}
