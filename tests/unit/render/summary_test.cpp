// The report of a dump made by hand, as text and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../dump/dump_builder.h"
#include "analyze/summary.h"
#include "render/summary.h"

namespace tl::render {
namespace {

using nlohmann::json;
using test::DumpBuilder;
using ::testing::HasSubstr;

analyze::Report hand_made() {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"parse", "bad\xff\x1b[1m", "never"});
  dump.thread(0, "main", 0, 0, dump::kThreadMain, "2-3", "2-3").thread(2, "io\xfe", 50, 900, 0, "9", "", 22);
  std::vector<test::Scope> scopes;
  for (std::uint64_t i = 1; i <= 1000; ++i) scopes.push_back({i * 1000, i, 1});
  scopes.push_back({2000000, 123456, 2});
  dump.scopes(0, 0, scopes);
  dump.counters(0, 1, 1001, 1001, std::vector<std::uint64_t>(7), 2, 6400, {{0, 7, 100}, {9, 0, 50}});
  dump.latency(0, 1, 0, 7, 1000, 5, 20, {{5, 40}, {10, 40}, {20, 20}}).latency(0, 1, 9, 0, 50, 1, 1, {{1, 50}});
  dump.counters(2, 1, 0, 0, std::vector<std::uint64_t>(7), 0, 0, {});
  dump.warning("clock", "a warning").end(4000000000, 1001);
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  analyze::Report report = analyze::summarize(opened, {});
  report.file.path = "hand.tl";
  return report;
}

TEST(SummaryJson, HasEveryKeyOfSchemaOneAndKnownNumbers) {
  const json out = json::parse(summary_json({hand_made()}, nullptr, {}));
  for (const char* key : {"schema", "view", "headline", "file", "process", "clock", "cost", "losses", "scopes",
                          "values", "pulses", "marks", "allocations", "threads", "kernel", "warnings"})
    EXPECT_TRUE(out.contains(key)) << key;
  EXPECT_EQ(out["schema"], 1);
  EXPECT_EQ(out["file"]["complete"], true);
  EXPECT_EQ(out["file"]["recovered_records"], 1001);
  EXPECT_EQ(out["process"]["command"], json({"demo", "two words"}));
  EXPECT_EQ(out["process"]["ended"], "exit");
  EXPECT_EQ(out["process"]["duration_ns"], 4000000000u);
  EXPECT_EQ(out["clock"]["source"], "clock_gettime");
  EXPECT_EQ(out["clock"]["anomalies"], 0);
  EXPECT_EQ(out["losses"]["records"], 0);
  EXPECT_EQ(out["losses"]["by_cause"]["disk_full"], 0);
  EXPECT_EQ(out["kernel"]["source"], "none");
  EXPECT_EQ(out["warnings"][0]["code"], "clock");

  ASSERT_EQ(out["scopes"].size(), 5u);  // two that ran, each for all threads and for one, and one that never did
  const json& parse = out["scopes"][0];
  EXPECT_EQ(parse["name"], "parse");
  EXPECT_TRUE(parse["thread"].is_null());
  EXPECT_EQ(parse["count"], 1000);
  EXPECT_EQ(parse["rate_per_s"], 250.0);
  EXPECT_EQ(parse["latency_ns"]["min"], 1);
  EXPECT_EQ(parse["latency_ns"]["p50"], 500.3);  // tenths: 5,000 lies in the bucket of 5,000 to 5,003
  EXPECT_EQ(parse["latency_ns"]["p99.9"], 999.1);
  EXPECT_EQ(parse["latency_ns"]["max"], 1000);
  EXPECT_EQ(parse["latency_ns"]["mean"], 500.5);
  EXPECT_EQ(parse["latency_ns"]["stddev"], 288.7);
  EXPECT_EQ(parse["total_ns"], 500500);
  EXPECT_EQ(parse["self_ns"], 500500);
  EXPECT_TRUE(parse["tail_causes"].is_null());
  EXPECT_EQ(out["scopes"][1]["thread"], 0);
  EXPECT_EQ(out["scopes"][2]["name"], "bad\xef\xbf\xbd\x1b[1m");
  const json& never = out["scopes"][4];
  EXPECT_EQ(never["count"], 0);
  EXPECT_TRUE(never["latency_ns"]["p50"].is_null());

  const json& allocations = out["allocations"];
  EXPECT_EQ(allocations["mode"], "time");
  EXPECT_EQ(allocations["calls"]["malloc"], 100);
  EXPECT_EQ(allocations["calls"]["calloc"], 0);
  EXPECT_EQ(allocations["failed"], 2);
  EXPECT_EQ(allocations["latency"][0]["size_class"], 64);
  EXPECT_EQ(allocations["latency"][0]["latency_ns"]["p50"], 10);
  EXPECT_EQ(allocations["latency"][0]["total_ns"], 1000);
  EXPECT_TRUE(allocations["latency"][1]["size_class"].is_null());
  ASSERT_EQ(allocations["latency_by_thread"].size(), 2u);  // most time first
  const json& most = allocations["latency_by_thread"][0];
  EXPECT_EQ(most["thread"], 0);
  EXPECT_TRUE(most["call"].is_null());
  EXPECT_EQ(most["size_class"], 64);
  EXPECT_EQ(most["count"], 100);
  EXPECT_EQ(most["total_ns"], 1000);
  EXPECT_EQ(most["share"], 0.952381);
  EXPECT_EQ(most["latency_ns"]["max"], 20);
  EXPECT_EQ(allocations["latency_by_thread"][1]["call"], "free");
  EXPECT_TRUE(allocations["latency_by_thread"][1]["size_class"].is_null());
  EXPECT_TRUE(allocations["frees_not_seen"].is_null());
  ASSERT_EQ(out["threads"].size(), 2u);
  EXPECT_EQ(out["threads"][0]["allocations"], 100);
  EXPECT_EQ(out["threads"][0]["pin"]["applied"], "2-3");
  EXPECT_EQ(out["threads"][1]["pin"]["error"], "EINVAL");
  EXPECT_EQ(out["threads"][1]["end_ns"], 900);
  EXPECT_TRUE(out["threads"][1]["minor_faults"].is_null());
}

TEST(SummaryJson, PercentilesAreKeysAsTheyWereAskedFor) {
  SummaryOptions options;
  options.percentiles = {"20", "99.99"};
  const json out = json::parse(summary_json({hand_made()}, nullptr, options));
  EXPECT_TRUE(out["scopes"][0]["latency_ns"].contains("p20"));
  EXPECT_TRUE(out["scopes"][0]["latency_ns"].contains("p99.99"));
  EXPECT_FALSE(out["scopes"][0]["latency_ns"].contains("p50"));
}

TEST(SummaryJson, SeveralFilesAreReportsAndTheirMerge) {
  const std::vector<analyze::Report> reports = {hand_made(), hand_made()};
  const analyze::Report merged = analyze::merge(reports);
  const json out = json::parse(summary_json(reports, &merged, {}));
  EXPECT_EQ(out["schema"], 1);
  EXPECT_EQ(out["reports"].size(), 2u);
  EXPECT_EQ(out["merged"]["scopes"][0]["count"], 2000);
  EXPECT_EQ(out["merged"]["allocations"]["calls"]["malloc"], 200);
  EXPECT_TRUE(out["merged"]["process"].is_null());
}

analyze::Report lossy(const analyze::Filter& filter = {}) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"parse"}).thread(0, "main").thread(1, "io").scopes(0, 0, {{900, 10, 1}});
  dump.events(0, dump::kOutsideTheRing,
              {test::event(200, 0, dump::RecordKind::loss_from, 9), test::event(700, 0, dump::RecordKind::loss_to, 0)});
  dump.counters(0, 1, 1, 1, {9, 0, 10}, 0, 0, {}).counters(1, 1, 0, 0, {}, 0, 0, {}).end(4000, 1);
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  return analyze::summarize(opened, filter);
}

TEST(SummaryText, SaysFirstWhatIsLostAndBehindTheRangesWhatToDo) {
  const std::string text = summary_text(lossy(), {}, {});
  EXPECT_EQ(text.find("19 of 20 records were lost (95 %: ring_full 9, too_deep 10), so counts are low"), 0u) << text;
  const std::size_t slowest = text.find("\nSlowest: "), range = text.find("\n  lost 9 on thread #0"),
                    ring = text.find("\nTo lose none: ring_full: "), deep = text.find("\nTo lose none: too_deep: "),
                    tables = text.find("\nScopes, most time first");
  EXPECT_LT(slowest, range);
  EXPECT_LT(range, ring);
  EXPECT_LT(ring, deep);
  EXPECT_LT(deep, tables);
  EXPECT_NE(tables, std::string::npos);
  EXPECT_EQ(summary_text(hand_made(), {}, {}).find("To lose none"), std::string::npos);
}

TEST(SummaryText, ThreadsThatLostNothingDoNotSpeakForTheOthers) {
  analyze::Filter filter;
  filter.thread = [](const std::string& name) { return name == "io"; };
  const std::string text = summary_text(lossy(filter), {}, {});
  EXPECT_THAT(text, HasSubstr("Partial: 19 records were lost (ring_full 9, too_deep 10)\n"));
  EXPECT_THAT(text, HasSubstr("\nLost by the threads shown: nothing\n"));
  EXPECT_EQ(text.find("\nLost: nothing"), std::string::npos);
}

TEST(SummaryJson, AdviceIsAnArrayOfTexts) {
  const json lost = json::parse(summary_json({lossy()}, nullptr, {}))["losses"];
  ASSERT_EQ(lost["advice"].size(), 2u);
  EXPECT_EQ(lost["advice"][0].get<std::string>().rfind("ring_full: ", 0), 0u);
  EXPECT_EQ(lost["advice"][1].get<std::string>().rfind("too_deep: ", 0), 0u);
  EXPECT_EQ(json::parse(summary_json({hand_made()}, nullptr, {}))["losses"]["advice"], json::array());

  const std::vector<analyze::Report> reports = {lossy(), hand_made()};
  const analyze::Report merged = analyze::merge(reports);
  const json both = json::parse(summary_json(reports, &merged, {}));
  EXPECT_EQ(both["merged"]["losses"]["advice"], lost["advice"]);
  EXPECT_THAT(merged_text(merged, 2, {}, {}), HasSubstr("To lose none: too_deep: "));
}

TEST(SummaryText, SaysTheSlowestThingFirstThenLossesThenTables) {
  const std::string text = summary_text(hand_made(), {}, {});
  EXPECT_EQ(text.find("Slowest: scope 'bad\\xff\\x1b[1m' took up to 123 us on thread main #0"), 0u) << text;
  const std::size_t next = text.find("Next: tlreport"), lost = text.find("Lost: nothing"),
                    tables = text.find("Scopes, most time first");
  EXPECT_LT(next, lost);
  EXPECT_LT(lost, tables);
  EXPECT_THAT(text, HasSubstr("never"));
  EXPECT_THAT(text, HasSubstr("33-64 B"));
  EXPECT_THAT(text, HasSubstr("Clock: clock_gettime, since the time stamp counter was not fit or not wanted"));
  EXPECT_THAT(text, HasSubstr("asked 9, failed: EINVAL"));
  EXPECT_THAT(text, HasSubstr("Warning of the recorder: a warning [clock]"));
  EXPECT_THAT(text, HasSubstr("~"));  // one run of a scope has no sure p99
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(summary_text(hand_made(), {}, {0, true}), HasSubstr("\x1b[1mThreads\x1b[0m"));
}

TEST(SummaryText, FitsTheTerminalWhereNamesAreLong) {
  analyze::Report report = hand_made();
  for (analyze::ScopeRow& row : report.scopes) row.name = std::string(200, 'x');
  SummaryOptions options;
  options.percentiles = {"50"};
  std::size_t longest = 0, start = 0;
  const std::string text = summary_text(report, options, {100, false});
  for (std::size_t at = text.find("\nScopes"); (start = at + 1, at = text.find('\n', start)) != std::string::npos;) {
    if (at == start) break;
    longest = std::max(longest, at - start);
  }
  EXPECT_LE(longest, 100u);
}

// Two threads with long names, many size classes, large numbers.
analyze::Report busy_allocator() {
  DumpBuilder dump;
  dump.process(dump::ClockSource::tsc).anchor(0, 0);
  for (const std::uint32_t serial : {0u, 12u}) {
    dump.thread(serial, "worker-thread-x");
    dump.counters(serial, 1, 0, 0, {}, 0, 1 << 30, {{0, 6, 1000000}, {0, 21, 1000000}, {9, 0, 1}});
    for (const std::uint8_t size_class : {6, 21})
      dump.latency(serial, 1, 0, size_class, 20000000000, 5, 9000000, {{5, 999999}, {2000, 1}});
    dump.latency(serial, 1, 9, 0, 31, 31, 31, {{31, 1}});
  }
  dump.anchor(2500000000, 1000000000).end(2500000000, 0);
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  return analyze::summarize(opened, {});
}

TEST(SummaryText, AtAnyWidthARowOfTheAllocatorSaysWhichThreadAndClass) {
  for (const unsigned columns : {0u, 120u, 80u, 60u, 48u}) {
    const std::string text = summary_text(busy_allocator(), {}, {columns, false});
    const std::string table = text.substr(text.find("\nTime inside"), text.find("\nAllocation") - text.find("\nTime"));
    for (const char* row : {"17-32 B", ">512 KiB-1 MiB", "free"}) EXPECT_THAT(table, HasSubstr(row)) << columns;
    EXPECT_THAT(table, HasSubstr(" #12  >512 KiB-1 MiB")) << columns;
    for (std::size_t at = 0, end; columns > 0 && at < table.size(); at = end + 1) {
      end = std::min(table.find('\n', at), table.size());
      EXPECT_LE(end - at, columns) << table.substr(at, end - at);
    }
  }
}

TEST(SummaryText, ACommandToPasteIsOneLineAtAnyWidth) {
  const std::string text = summary_text(hand_made(), {}, {40, false});
  const std::size_t next = text.find("Next: ");
  EXPECT_THAT(text.substr(next, text.find('\n', next) - next),
              HasSubstr("   # the middle of the scope with most time of its own"));
}

TEST(SummaryText, AnAllocationOnlyDumpIsNotCalledEmptyAndTheClockIsTold) {
  const std::string text = summary_text(busy_allocator(), {}, {});
  EXPECT_THAT(text, HasSubstr("4,000,002 allocation calls counted, no scope records, complete"));
  EXPECT_THAT(text, HasSubstr("Clock: time stamp counter, 2.5 ticks a ns, error at most 0.016 ppm"));
}

TEST(Summary, WithoutARateNothingIsCalledNanoseconds) {
  DumpBuilder dump;
  dump.process(dump::ClockSource::tsc).anchor(1000, 5000).names({"a"}).thread(0, "main", 1000);
  dump.scopes(0, 0, {{1500000, 400000, 1}});
  dump.latency(0, 1, 0, 7, 9000000, 9000000, 9000000, {{12000, 1}});  // its counters were cut off
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  ASSERT_EQ(opened.open(file.path()), "");
  const analyze::Report report = analyze::summarize(opened, {});
  EXPECT_THAT(report.headline.at(0), HasSubstr("Times are in ticks"));
  EXPECT_THAT(report.headline.at(1), HasSubstr("took up to 400,000 ticks"));
  EXPECT_THAT(report.headline.at(3), HasSubstr("counters of no thread are in the file"));
  const std::string text = summary_text(report, {}, {});
  for (const char* unit : {" ns", " us", " ms"}) EXPECT_EQ(text.find(unit), std::string::npos) << text;
  EXPECT_THAT(text, HasSubstr("p50 ticks"));
  EXPECT_THAT(text, HasSubstr("end not in the file"));
  EXPECT_THAT(text, HasSubstr("Lost: nothing that the file tells of"));
  const json out = json::parse(summary_json({report}, nullptr, {}));
  EXPECT_TRUE(out["clock"]["ticks_per_ns"].is_null());
  EXPECT_TRUE(out["process"]["ended"].is_null());
  EXPECT_EQ(out["scopes"][0]["count"], 1);
  for (const char* key : {"total_ns", "self_ns", "rate_per_s"}) EXPECT_TRUE(out["scopes"][0][key].is_null()) << key;
  for (const auto& [key, value] : out["scopes"][0]["latency_ns"].items()) EXPECT_TRUE(value.is_null()) << key;
  EXPECT_TRUE(out["threads"][0]["start_ns"].is_null());
  EXPECT_TRUE(out["allocations"]["calls"]["malloc"].is_null());
  EXPECT_TRUE(out["allocations"]["latency"][0]["total_ns"].is_null());
  EXPECT_TRUE(out["allocations"]["latency_by_thread"][0]["total_ns"].is_null());

  const analyze::Report merged = analyze::merge({hand_made(), report, hand_made()});
  EXPECT_EQ(merged.scopes.size(), 3u);  // no scope "a", whose ticks are no nanoseconds
  EXPECT_THAT(merged.partial, ::testing::Contains(HasSubstr("in no merged number")));
  EXPECT_THAT(merged_text(merged, 2, {}, {}), HasSubstr(": in no merged number"));
}

}  // namespace
}  // namespace tl::render
