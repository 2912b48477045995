#include "tlbench/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace tl::tlbench {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::Not;

TEST(Child, WhatACommandPrints) {
  EXPECT_EQ(printed_by("echo one; echo two"), "one\ntwo");
  EXPECT_EQ(printed_by("printf none"), "none");
  EXPECT_EQ(printed_by("echo said; exit 3"), "");
  EXPECT_EQ(printed_by("no-such-command-anywhere"), "");
}

TEST(Child, HowItEnded) {
  const auto run = [](const char* command) {
    return why_bad(wait_for(start({.program = "/bin/sh", .arguments = {"sh", "-c", command}, .environment = {}})));
  };
  EXPECT_EQ(run("exit 0"), "");
  EXPECT_EQ(run("exit 7"), "its process ended with status 7");
  EXPECT_EQ(run("kill -9 $$"), "its process was ended by signal 9");
  EXPECT_EQ(why_bad(wait_for(start({.program = "/nowhere/x", .arguments = {"x"}, .environment = {}}))),
            "its process ended with status 127");
}

TEST(Child, SettingsOfTheUserDoNotReachIt) {
  setenv("TL_CHILD_TEST", "1", 1);
  setenv("CHILD_TEST", "1", 1);
  const std::vector<std::string> plain = clean_environment();
  EXPECT_THAT(plain, Not(Contains("TL_CHILD_TEST=1")));
  EXPECT_THAT(plain, Contains("CHILD_TEST=1"));
  const std::vector<std::string> watched = environment_under("/x.so", "/100%.tl", "time");
  EXPECT_THAT(watched, IsSupersetOf({"LD_PRELOAD=/x.so", "TL_OUTPUT=/100%%.tl", "TL_ALLOC=time"}));
  EXPECT_THAT(environment_under("/x.so", "/d.tl", ""), Not(Contains("TL_ALLOC=")));
  unsetenv("TL_CHILD_TEST");
  unsetenv("CHILD_TEST");
}

TEST(Child, NothingStaysOfATemporaryDirectory) {
  std::string path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    EXPECT_EQ(printed_by("echo x > '" + path + "/file' && echo made"), "made");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tl::tlbench
