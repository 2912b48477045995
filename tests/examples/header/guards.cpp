// What a guard against allocations does in each of its cases, one named on the command line.
#include <stdio.h>
#include <stdlib.h>

#include <stdexcept>
#include <string>
#include <telemetry/telemetry.hpp>
#include <thread>

static void* volatile kept;
static void allocate(size_t bytes) {
  kept = malloc(bytes);
  free(kept);
}
static void say(const char* what) { printf("failed: %s\n", what); }

int main(int, char** arguments) {
  const std::string which = arguments[1];
  setvbuf(stdout, nullptr, _IONBF, 0);
  if (which == "nothing") {
    telemetry::NoAllocation guard;
    telemetry::NoAllocation inside(say);
    free(nullptr);
  } else if (which == "aborts") {
    telemetry::NoAllocation guard;
    allocate(10);
  } else if (which == "twice") {
    telemetry::NoAllocation guard(say);
    allocate(30);
    printf("%ld of %ld\n", static_cast<long>(guard.count()), static_cast<long>(guard.bytes()));
    allocate(12);
    const bool passed = guard.check();
    printf("%d\n", passed);
    allocate(1);
  } else if (which == "checked") {
    telemetry::NoAllocation guard(say);
    const bool passed = guard.check();
    allocate(1);
    printf("%d %d\n", passed, guard.check());
  } else if (which == "throws") {
    try {
      telemetry::NoAllocation guard([](const char* what) { throw std::runtime_error(what); });
      allocate(1);
    } catch (const std::runtime_error& error) { printf("thrown: %s\n", error.what()); }
  } else if (which == "elsewhere") {
    telemetry::NoAllocation guard(say);
    std::thread([] { allocate(1); }).join();
    std::thread([&] { guard.check(); }).join();
  } else if (which == "new") {
    telemetry::NoAllocation guard(say);
    kept = new std::string(100, 'x');
    delete static_cast<std::string*>(kept);
  }
  printf("done\n");
}
