#include "cli/cpu_list.h"

#include <gtest/gtest.h>
#include <sched.h>

namespace tl::cli {
namespace {

using Cpus = std::vector<int>;

TEST(CpuList, InTheOrderGivenEachOnce) {
  EXPECT_EQ(cpu_list("0"), Cpus({0}));
  EXPECT_EQ(cpu_list("3,0-2"), Cpus({3, 0, 1, 2}));
  EXPECT_EQ(cpu_list("2+4,4,1-2"), Cpus({2, 4, 1}));
}

TEST(CpuList, WhatIsNoList) {
  for (const char* text :
       {"", ",", "0,", ",0", "0,,1", "a", "-1", "1-", "3-2", " 0", "0 ", "0x1", "8192", "0-99999999999"})
    EXPECT_FALSE(cpu_list(text)) << text;
}

TEST(CpuList, UsableIsWhatTheKernelSays) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  const Cpus usable = usable_cpus();
  EXPECT_EQ(usable.size(), static_cast<std::size_t>(CPU_COUNT(&set)));
  for (const int cpu : usable) EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(cpu), &set)) << cpu;
}

}  // namespace
}  // namespace tl::cli
