#include "base/setting_values.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tl {
namespace {

bool usable(std::string_view name, std::string_view value) {
  return why_unusable(*find_setting(name), value) == nullptr;
}

TEST(SettingValues, AreUsableOrNot) {
  for (const char* value : {"count", "off", "time", "count,time", "time,count"})
    EXPECT_TRUE(usable("TL_ALLOC", value)) << value;
  for (const char* value : {"", "on", "off,count", "count,", ",time", "stacks", "time,mmap"})
    EXPECT_FALSE(usable("TL_ALLOC", value)) << value;
  for (const char* value : {"a", "/x/%e.%p.%t.%h.%%", "%p"}) EXPECT_TRUE(usable("TL_OUTPUT", value)) << value;
  for (const char* value : {"", "%", "a%x", "dir/"}) EXPECT_FALSE(usable("TL_OUTPUT", value)) << value;
  EXPECT_FALSE(usable("TL_OUTPUT", std::string(4096, 'x')));
  for (const char* value : {"1024", "2048", "1073741824"}) EXPECT_TRUE(usable("TL_RING", value)) << value;
  for (const char* value : {"", "512", "1025", "1k", "-1024", "2147483648"})
    EXPECT_FALSE(usable("TL_RING", value)) << value;
  for (const char* value : {"0", "64MiB", "1G", "123B"}) EXPECT_TRUE(usable("TL_RING_POOL", value)) << value;
  for (const char* value : {"", "MiB", "1TiB", "99999999999999999999", "17179869184G"})
    EXPECT_FALSE(usable("TL_RING_POOL", value)) << value;
  for (const char* value : {"0", "64KiB", "65536", "10G"}) EXPECT_TRUE(usable("TL_SIZE", value)) << value;
  for (const char* value : {"", "1", "65535", "63KiB", "-1", "1 MiB"}) EXPECT_FALSE(usable("TL_SIZE", value)) << value;
  for (const char* value : {"0", "1", "128"}) EXPECT_TRUE(usable("TL_ROTATE", value)) << value;
  for (const char* value : {"", "129", "2x", "-1", "1KiB"}) EXPECT_FALSE(usable("TL_ROTATE", value)) << value;
  EXPECT_TRUE(usable("TL_DISABLE", "0"));
  EXPECT_FALSE(usable("TL_DISABLE", "yes"));
}

TEST(SettingValues, FollowKnowsTheRun) {
  Follow follow;
  ASSERT_EQ(parse_follow("0:12:345", follow), nullptr);
  EXPECT_FALSE(follow.children);
  EXPECT_EQ(follow.run_pid, 12u);
  EXPECT_EQ(follow.run_start, 345u);
  ASSERT_EQ(parse_follow("1", follow), nullptr);
  EXPECT_TRUE(follow.children);
  for (const char* value : {"", "2", "01", "0:", "0:1", "0:1:", "0:0:1", "0:1:x", "0:1:2:", "0:2147483648:1", "0:-1:1"})
    EXPECT_FALSE(usable("TL_FOLLOW", value)) << value;
}

TEST(SettingValues, NamesArePickedByGlobs) {
  EXPECT_TRUE(globs_match("", "any"));
  EXPECT_TRUE(globs_match("a*,b?", "bc"));
  EXPECT_FALSE(globs_match("a*,b?", "bcd"));
  EXPECT_TRUE(globs_match("x,a\\,\\*", "a,*"));
  EXPECT_FALSE(globs_match("a\\*", "ab"));
  for (const char* value : {",", "a,", ",a", "a,,b"}) EXPECT_FALSE(usable("TL_ONLY", value)) << value;
}

TEST(SettingValues, PinsAreRulesInOrder) {
  std::string_view text = "#12=3,io\\,\\=*=0-2+7,*=5";
  PinRule rule;
  ASSERT_EQ(take_pin_rule(text, rule), nullptr);
  EXPECT_TRUE(rule.pattern.empty());
  EXPECT_EQ(rule.serial, 12u);
  ASSERT_EQ(take_pin_rule(text, rule), nullptr);
  EXPECT_TRUE(glob_matches(rule.pattern, "io,=1"));
  EXPECT_FALSE(glob_matches(rule.pattern, "io1"));
  std::vector<std::uint64_t> cpus;
  EXPECT_TRUE(parse_cpus(rule.cpus, [&](std::uint64_t cpu) { cpus.push_back(cpu); }));
  EXPECT_EQ(cpus, (std::vector<std::uint64_t>{0, 1, 2, 7}));
  ASSERT_EQ(take_pin_rule(text, rule), nullptr);
  EXPECT_EQ(rule.pattern, "*");
  EXPECT_TRUE(text.empty());
}

TEST(SettingValues, WrongPins) {
  for (const char* value :
       {"x", "=1", "x=", "x=1-", "x=3-2", "x=a", "x=1,", "#=1", "#1x=1", "@f=1", "x=8192", "x=1++2"})
    EXPECT_FALSE(usable("TL_PIN", value)) << value;
  std::string many;
  for (int i = 0; i < 65; ++i) many += (i == 0 ? "a=0" : ",a=0");
  EXPECT_FALSE(usable("TL_PIN", many));
  EXPECT_TRUE(usable("TL_PIN", many.substr(4)));
}

}  // namespace
}  // namespace tl
