#include <gtest/gtest.h>

#include "render/table.h"
#include "render/text_escape.h"

namespace tl::render {
namespace {

TEST(Escape, TextShowsWhatIsNoUtf8AndWhatATerminalWouldObey) {
  EXPECT_EQ(visible("plain"), "plain");
  EXPECT_EQ(visible("Stra\xc3\x9f"
                    "e"),
            "Stra\xc3\x9f"
            "e");
  EXPECT_EQ(visible("a\xff"
                    "b"),
            "a\\xffb");
  EXPECT_EQ(visible("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(visible("line\nbreak\ttab"), "line\\x0abreak\\x09tab");
  EXPECT_EQ(visible("\xe2\x80\xae"
                    "x"),
            "\\xe2\\x80\\xaex");  // right-to-left override
  EXPECT_EQ(visible("\xc2\x9b"
                    "x"),
            "\\xc2\\x9bx");  // C1: an escape sequence in one byte
  EXPECT_EQ(visible("back\\slash"), "back\\\\slash");
}

TEST(Escape, TwoNamesThatDifferStayDifferent) { EXPECT_NE(visible("\xff"), visible("\\xff")); }

TEST(Escape, JsonHasOneReplacementForEachBadByte) {
  EXPECT_EQ(utf8("a\xff\xfe"), "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");  // overlong
  EXPECT_EQ(utf8("\xed\xa0\x80").size(), 9u);               // surrogate
  EXPECT_EQ(utf8("\xf4\x90\x80\x80").size(), 12u);          // beyond U+10FFFF
  EXPECT_EQ(utf8("\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd");  // cut
  EXPECT_EQ(utf8("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(Table, AlignsColumnsAndCutsTheWidestNameWhereTheTerminalEnds) {
  Table table({"name", "n"});
  table.name(0);
  table.row({"a", "1"});
  table.row({"a very long name indeed", "12,345"});
  EXPECT_EQ(table.print({}),
            "name                          n\na                             1\na very long name indeed  12,345\n");
  EXPECT_EQ(table.print({20, false}), "name               n\na                  1\na very...eed  12,345\n");
  table.optional(1);
  EXPECT_EQ(table.print({26, false}), "name\na\na very long name indeed\nLeft out for want of\n  width: n\n");
}

TEST(Table, ANumberBehindANameAndAClassAreNeverCut) {
  Table table({"thread", "request", "total", "p50", "max"});
  table.numbered_name(0).left(1).optional(3).optional(4);
  table.row({"worker-thread-x #2", ">512 KiB-1 MiB", "12,345", "1.00 us", "2.00 us"});
  table.row({"worker-thread-x #113", "17-32 B", "1", "1.00 us", "2.00 us"});
  const std::string narrow = table.print({38, false});
  EXPECT_NE(narrow.find("worker-t... #2  >512 KiB-1 MiB  12,345"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("worker... #113  17-32 B"), std::string::npos) << narrow;
  // Columns go before names are shortened.
  EXPECT_NE(table.print({56, false}).find("worker-thread-x #113  17-32 B"), std::string::npos);
}

TEST(Table, ALongNameIsShortenedBeforeAColumnIsLeftOutAndWhatFitsStays) {
  Table table({"scope", "wide column", "p50", "p99"});
  table.name(0).optional(2).optional(3).optional(1);
  table.row({std::string(200, 'x') + "END", "1", "2", "3"});
  const std::string shown = table.print({50, false});
  EXPECT_NE(shown.find("wide column"), std::string::npos) << shown;
  EXPECT_NE(shown.find("END"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("Left out"), std::string::npos) << shown;
  // Leaving out the wide column makes room again for p99.
  EXPECT_NE(table.print({22, false}).find("p99"), std::string::npos) << table.print({22, false});
}

TEST(Table, SumsShareAUnitAndKeepThreeDigits) {
  const auto cells = [](const std::vector<double>& times) {
    SharedUnit unit(analyze::TimeUnit::ns);
    for (const double time : times) unit.add(time);
    std::string out = unit.head("total") + ":";
    for (const double time : times) out += " " + unit.cell(time);
    return out;
  };
  EXPECT_EQ(cells({24500000, 1230000, 310000}), "total ms: 24.5 1.23 0.310");
  EXPECT_EQ(cells({24500000, 31200, 0}), "total us: 24,500 31.2 0");
  EXPECT_EQ(cells({24500000000, 31200}), "total ms: 24,500 0.0312");
  EXPECT_EQ(cells({820, 1.5}), "total ns: 820 1.5");
  SharedUnit none(analyze::TimeUnit::ns), ticks(analyze::TimeUnit::ticks);
  none.add(std::nullopt);
  EXPECT_EQ(none.head("total"), "total");  // no unit where no time is
  EXPECT_EQ(none.cell(std::nullopt), "-");
  ticks.add(12345.0);
  EXPECT_EQ(ticks.head("total"), "total ticks");
  EXPECT_EQ(ticks.cell(12345.0), "12,345");
}

TEST(Words, SizeClassesAreShortAndExact) {
  using analyze::size_class_words;
  EXPECT_EQ(size_class_words(0), "0 B");
  EXPECT_EQ(size_class_words(1), "1 B");
  EXPECT_EQ(size_class_words(2), "2 B");
  EXPECT_EQ(size_class_words(6), "17-32 B");
  EXPECT_EQ(size_class_words(11), "513-1024 B");
  EXPECT_EQ(size_class_words(12), ">1-2 KiB");
  EXPECT_EQ(size_class_words(16), ">16-32 KiB");
  EXPECT_EQ(size_class_words(21), ">512 KiB-1 MiB");
  EXPECT_EQ(size_class_words(47), ">32 TiB");
}

TEST(Words, OneIsSingularAndSignalsHaveNames) {
  EXPECT_EQ(analyze::counted(1, "thread"), "1 thread");
  EXPECT_EQ(analyze::counted(1234, "thread"), "1,234 threads");
  EXPECT_EQ(analyze::signal_words(15), "signal 15 (SIGTERM)");
  EXPECT_EQ(analyze::signal_words(64), "signal 64");
  EXPECT_EQ(analyze::time_words(1234567, analyze::TimeUnit::ticks), "1,234,567 ticks");
  EXPECT_EQ(analyze::time_words(999999), "1.00 ms");
}

TEST(Table, LongLinesBreakAtWords) {
  EXPECT_EQ(wrapped("one two three four", {9, false}, 2), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("one two three four", {}, 2), "one two three four\n");
}

}  // namespace
}  // namespace tl::render
