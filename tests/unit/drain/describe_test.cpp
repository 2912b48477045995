#include "drain/describe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <random>
#include <string>

namespace tl::drain {
namespace {

std::string resolved(const char* pattern, const char* program, std::uint64_t unix_ns) {
  std::string name = program;
  char* argv[] = {name.data(), nullptr};
  Origin origin{};
  remember_program(1, argv, origin);
  remember_origin(1, argv, pattern, origin);
  char out[8192];
  resolve_output(origin, unix_ns, out, sizeof out);
  return out;
}

TEST(Output, PatternsAreResolved) {
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(resolved("/x/%e.%p.%%", "/usr/bin/my prog", 0), "/x/my_prog." + pid + ".%");
  EXPECT_EQ(resolved("/%e", "-bash", 0), "/-bash");
  EXPECT_EQ(resolved("/%e", "a/../../etc", 0), "/etc");
  char directory[4096];
  ASSERT_NE(getcwd(directory, sizeof directory), nullptr);
  EXPECT_EQ(resolved("a.tl", "x", 0), std::string(directory) + "/a.tl");
}

TEST(Output, TimesAreThoseOfGmtime) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const std::time_t seconds = static_cast<std::time_t>(random() % 7258118400u);  // to the year 2200
    char wanted[32];
    std::tm fields;
    gmtime_r(&seconds, &fields);
    std::strftime(wanted, sizeof wanted, "/%Y%m%dT%H%M%S", &fields);
    ASSERT_EQ(resolved("/%t", "x", static_cast<std::uint64_t>(seconds) * 1000000000u), wanted);
  }
}

}  // namespace
}  // namespace tl::drain
