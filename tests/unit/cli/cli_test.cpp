#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/arguments.h"
#include "cli/glob.h"
#include "cli/message.h"

namespace tl::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Glob, MatchesBytesOfNames) {
  EXPECT_TRUE(glob_matches("work*", "worker-1"));
  EXPECT_TRUE(glob_matches("#1", "#1"));
  EXPECT_FALSE(glob_matches("#1", "#11"));
  EXPECT_TRUE(glob_matches("a?c",
                           "a\xff"
                           "c"));
  EXPECT_TRUE(glob_matches("a\\*", "a*"));
  EXPECT_FALSE(glob_matches("a\\*", "ab"));
  EXPECT_TRUE(glob_matches("*", "dir/with/slashes"));
  EXPECT_FALSE(glob_matches("", "x"));
}

TEST(Percentiles, AreKeptAsTheyWereWritten) {
  EXPECT_THAT(percentile_list("50,99,99.9"), ElementsAre("50", "99", "99.9"));
  EXPECT_THAT(percentile_list("0,100"), ElementsAre("0", "100"));
  EXPECT_THAT(percentile_list("50,50"), ElementsAre("50"));
  for (const char* wrong : {"", "50,", ",50", "101", "-1", "p50", "1e1", "50 ", "99.", ".5", "1.2.3", "nan"})
    EXPECT_THAT(percentile_list(wrong), IsEmpty()) << wrong;
}

TEST(Message, IsOneLineWhateverAFileIsCalled) { EXPECT_EQ(one_line("a\nb\x1b"), "a\\x0ab\\x1b"); }

TEST(FindOption, SeesBothSpellingsAndStopsAtTheDashes) {
  EXPECT_EQ(find_option({"a", "--csv"}, {"--csv"}), "--csv");
  EXPECT_EQ(find_option({"--from=1"}, {"--from"}), "--from");
  EXPECT_EQ(find_option({"--", "--csv"}, {"--csv"}), "");
  EXPECT_EQ(find_option({"--csvx"}, {"--csv"}), "");
}

TEST(Callable, IsArgvZeroUnlessPathDoesNotLeadThere) {
  EXPECT_EQ(callable_as("build/tlreport"), "build/tlreport");
  EXPECT_EQ(callable_as("sh"), "sh");
  EXPECT_EQ(callable_as("no-such-program-here").front(), '/');
  EXPECT_EQ(beside("build/tlreport", "tlrun"), "build/tlrun");
  EXPECT_EQ(beside("tlreport", "tlrun"), "tlrun");
}

TEST(Terminal, ColumnsOfTheEnvironmentCount) {
  ASSERT_EQ(setenv("COLUMNS", "100", 1), 0);
  EXPECT_EQ(terminal_of_stdout("auto").columns, 100u);
  setenv("COLUMNS", "7", 1);
  EXPECT_EQ(terminal_of_stdout("auto").columns, 40u);
  for (const char* wrong : {"", "0", "-5", "80x"}) {
    setenv("COLUMNS", wrong, 1);
    const unsigned without = terminal_of_stdout("auto").columns;
    unsetenv("COLUMNS");
    EXPECT_EQ(without, terminal_of_stdout("auto").columns) << wrong;
  }
}

}  // namespace
}  // namespace tl::cli
