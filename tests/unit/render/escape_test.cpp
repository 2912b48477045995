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
  table.left(0);
  table.row({"a", "1"});
  table.row({"a very long name indeed", "12,345"});
  EXPECT_EQ(table.print({}),
            "name                          n\na                             1\na very long name indeed  12,345\n");
  EXPECT_EQ(table.print({20, false}), "name               n\na                  1\na very lo...  12,345\n");
  table.optional(1);
  EXPECT_EQ(table.print({26, false}), "name\na\na very long name indeed\nLeft out for want of\n  width: n\n");
}

TEST(Table, ATimeColumnHasOneUnitAndADashForWhatIsAbsent) {
  TimeColumn column;
  for (double ns : {12345.0, 1000000.0, 70000.0}) column.add(ns);
  column.add(std::nullopt);
  EXPECT_STREQ(column.unit(), "us");
  EXPECT_EQ(column.cell(0), "12.3");
  EXPECT_EQ(column.cell(1), "1000");
  EXPECT_EQ(column.cell(3), "-");
}

TEST(Table, LongLinesBreakAtWords) {
  EXPECT_EQ(wrapped("one two three four", {9, false}, 2), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("one two three four", {}, 2), "one two three four\n");
}

}  // namespace
}  // namespace tl::render
