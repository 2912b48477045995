// The command that a report ends its words with: it can be pasted, and shows what the report did not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../dump/dump_builder.h"
#include "analyze/summary.h"

namespace tl::analyze {
namespace {

using test::DumpBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned kMalloc = 0;

Report report_of(const DumpBuilder& dump, const Filter& filter = {}) {
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  return summarize(opened, filter, {"'/my tools/tlreport'", "'/my tools/tlrun'"});
}

std::string next_of(const Report& report) {
  for (const std::string& line : report.headline)
    if (line.rfind("Next: ", 0) == 0) return line;
  return "";
}

DumpBuilder counting(std::uint32_t mode) {
  DumpBuilder dump;
  dump.process(dump::ClockSource::clock_gettime, mode).anchor(0, 0).names({"outer", "inner"}).thread(0, "main");
  return dump;
}

TEST(Next, AScopeIsTheOneWithMostTimeOfItsOwn) {
  DumpBuilder dump = counting(1);
  dump.scopes(0, 0, {{900, 890, 2}, {1000, 1000, 1}}).end(2000, 2);
  const std::string next = next_of(report_of(dump));
  EXPECT_THAT(next, HasSubstr("Next: '/my tools/tlreport' --scope inner --percentiles 10,25,50,75,90,95 "));
  Filter filter;
  filter.scope = [](const std::string& name) { return name == "inner"; };
  EXPECT_THAT(next_of(report_of(dump, filter)), Not(HasSubstr("--scope")));  // that is what is shown
}

TEST(Next, StaysInTheViewThatWasAskedFor) {
  DumpBuilder dump = counting(1);
  dump.scopes(0, 0, {{900, 890, 2}}).cost(1, {{0x00, 1, 2, 3, 4, 5, 6}}).end(2000, 1);
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  ASSERT_EQ(opened.open(file.path()), "");
  EXPECT_THAT(next_of(summarize(opened, {}, {}, View::corrected)), HasSubstr("tlreport --corrected --scope inner "));
}

TEST(Next, CountsLeadToTimesByTheLauncherBesideTheReporter) {
  DumpBuilder dump = counting(1);
  dump.counters(0, 1, 0, 0, {}, 0, 640, {{kMalloc, 7, 10}}).end(2000, 0);
  EXPECT_THAT(next_of(report_of(dump)), HasSubstr("Next: '/my tools/tlrun' --alloc time -- demo 'two words'   # "));
}

TEST(Next, AThreadIsNamedOnlyWhereThereAreOthers) {
  DumpBuilder dump = counting(3);
  dump.counters(0, 1, 0, 0, {}, 0, 640, {{kMalloc, 7, 10}}).latency(0, 1, kMalloc, 7, 100, 10, 10, {{10, 10}});
  DumpBuilder two = dump;
  dump.end(2000, 0);
  EXPECT_THAT(next_of(report_of(dump)), HasSubstr("'/my tools/tlreport' check "));
  two.thread(1, "io").latency(1, 1, kMalloc, 7, 900, 90, 90, {{90, 10}}).end(2000, 0);
  EXPECT_THAT(next_of(report_of(two)), HasSubstr("'/my tools/tlreport' --thread '#1' "));
}

TEST(Next, AFilterThatMatchesNothingIsOneLine) {
  DumpBuilder dump = counting(1);
  dump.thread(1, "io").scopes(0, 0, {{900, 890, 2}}).end(2000, 1);
  Filter scope, thread;
  scope.scope = thread.thread = [](const std::string&) { return false; };
  scope.scope_text = thread.thread_text = "no*";
  const Report no_scope = report_of(dump, scope), no_thread = report_of(dump, thread);
  EXPECT_THAT(no_scope.headline,
              ::testing::ElementsAre("No scope of this dump matches --scope 'no*'; it has outer, inner."));
  EXPECT_THAT(no_thread.headline,
              ::testing::ElementsAre("No thread of this dump matches --thread 'no*'; it has main #0, io #1."));
  EXPECT_TRUE(no_scope.nothing_matches && no_thread.nothing_matches);
}

TEST(Headline, OneThreadsMaximumAndAllThreadsPercentilesAreToldApart) {
  DumpBuilder dump = counting(1);
  dump.thread(1, "io").scopes(0, 0, {{900, 100, 1}}).scopes(1, 0, {{900, 700, 1}}).end(2000, 2);
  EXPECT_THAT(report_of(dump).headline[0], HasSubstr("on thread io #1; of 2 runs of all threads half took"));
  DumpBuilder one = counting(1);
  one.scopes(0, 0, {{900, 100, 1}}).end(2000, 1);
  EXPECT_THAT(report_of(one).headline[0], HasSubstr("; of 1 run half took"));
}

}  // namespace
}  // namespace tl::analyze
