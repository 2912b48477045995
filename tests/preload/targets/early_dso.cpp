// Case C1 (b): a library whose global constructor allocates and starts a thread, before main.
#include <pthread.h>

#include <string>
#include <vector>

namespace {

void* work(void* result) {
  for (int i = 0; i < 1000; ++i) static_cast<std::vector<std::string>*>(result)->emplace_back(100, 'x');
  return result;
}

struct Early {
  Early() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, &words);
    pthread_join(thread, nullptr);
  }
  std::vector<std::string> words;
};

Early early;

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned long early_words() { return early.words.size(); }
