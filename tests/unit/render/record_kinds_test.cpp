// How what stands beside plain scopes reads, and its keys in JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../../dump/dump_builder.h"
#include "analyze/summary.h"
#include "render/summary.h"

namespace tl::render {
namespace {

using dump::RecordKind;
using nlohmann::json;
using test::DumpBuilder;
using test::Scope;
using ::testing::HasSubstr;
using ::testing::Not;

analyze::Report report_of(const DumpBuilder& dump, analyze::View view = analyze::View::raw) {
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  analyze::Report report = analyze::summarize(opened, {}, {}, view);
  report.file.path = "hand.tl";
  return report;
}

DumpBuilder trading(bool with_cost = true) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"order", "markout_100ms [ticks]", "heartbeat", "empty", "transit"});
  dump.thread(0, "main", 0, 0, dump::kThreadMain).thread(1, "feed");
  std::vector<Scope> records;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    const std::uint64_t at = i * 100000;
    records.push_back({at, 1000 + i * (i % 10 == 0 ? 40 : 2), 1, RecordKind::response});
    records.push_back({at, 500 + i, 1});
    records.push_back({at, dump::zigzag(i - 501), 2, RecordKind::value});
    records.push_back({at + 1, 100000, 3, RecordKind::pulse});
    records.push_back({at + 40, i % 100 == 0 ? 25u : 9u, 4});
    records.push_back({at + 50, 3000, 5, RecordKind::span});
  }
  records.push_back({100200000, 3, 1, RecordKind::early_response});
  records.push_back({100200000, 300, 1});
  dump.scopes(1, 0, records);
  std::vector<dump::RingRecord> rare = test::mark(50000000, "auction\xff opens \x1b[2J");
  rare.push_back(test::event(60000000, 1, RecordKind::discarded));
  dump.events(1, records.size(), rare);
  if (with_cost)
    dump.cost(
        1,
        {{0x00, 9, 10, 11, 12, 80, 14}, {dump::kCostNext, 5, 6, 7, 8, 9, 10}, {dump::kCostPulse, 7, 8, 9, 10, 11, 12}});
  return dump.end(200000000, records.size() + rare.size());
}

std::vector<std::string> keys_of(const json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(RecordKindsJson, KeysAreThoseOfSchemaOne) {
  const json out = json::parse(summary_json({report_of(trading())}, nullptr, {}));
  EXPECT_EQ(out["view"], "raw");
  const json& order = out["scopes"][2];
  EXPECT_EQ(order["name"], "order");
  EXPECT_TRUE(order["thread"].is_null());
  EXPECT_EQ(order["count"], 1001);
  EXPECT_EQ(order["early"], 1);
  EXPECT_EQ(order["discarded"], 1);
  EXPECT_EQ(order["latency_ns"]["min"], 300);
  EXPECT_EQ(order["response_ns"]["min"], 3);
  EXPECT_EQ(order["response_ns"]["max"], 41000);
  EXPECT_EQ(keys_of(order["response_ns"]), keys_of(order["latency_ns"]));
  for (const json& row : out["scopes"])
    if (row["name"] != "order") {
      EXPECT_TRUE(row["response_ns"].is_null());
      EXPECT_EQ(row["early"], 0);
      EXPECT_NE(row["name"], "heartbeat");
      EXPECT_NE(row["name"], "markout_100ms [ticks]");
    }

  const json expected_value = {{"name", "markout_100ms [ticks]"},
                               {"count", 1000},
                               {"min", -500},
                               {"p50", -1},
                               {"p90", 399},
                               {"p99", 489},
                               {"p99.9", 498},
                               {"max", 499},
                               {"mean", -0.5}};
  EXPECT_EQ(out["values"], json::array({expected_value}));

  ASSERT_EQ(out["pulses"].size(), 2u);
  EXPECT_EQ(out["pulses"][0]["name"], "heartbeat");
  EXPECT_TRUE(out["pulses"][0]["thread"].is_null());
  EXPECT_EQ(out["pulses"][1]["thread"], 1);
  EXPECT_EQ(out["pulses"][1]["count"], 1000);
  EXPECT_EQ(out["pulses"][1]["latency_ns"]["max"], 100000);

  EXPECT_EQ(out["marks"],
            json::parse(R"([{"thread": 1, "at_ns": 50000000, "text": "auction\ufffd opens \u001b[2J"}])"));

  const json& cost = out["cost"];
  EXPECT_THAT(keys_of(cost), ::testing::UnorderedElementsAre("pairs", "next", "pulse", "timer_step"));
  EXPECT_THAT(keys_of(cost["pairs"]),
              ::testing::UnorderedElementsAre("fast_fast", "fast_mid", "fast_hard", "mid_fast", "mid_mid", "mid_hard",
                                              "hard_fast", "hard_mid", "hard_hard"));
  EXPECT_EQ(cost["pairs"]["fast_fast"]["p50"], 10);
  EXPECT_EQ(cost["pairs"]["fast_fast"]["p99"], 12);
  EXPECT_TRUE(cost["pairs"]["hard_hard"]["p50"].is_null());
  EXPECT_EQ(cost["next"], 6);
  EXPECT_EQ(cost["pulse"], 8);
  EXPECT_EQ(cost["timer_step"], 1);
  EXPECT_EQ(out["threads"][1]["scopes"], 3001);
}

TEST(RecordKindsJson, PercentilesAreAskedForOfValuesToo) {
  SummaryOptions options;
  options.percentiles = options.value_percentiles = {"25", "99.99"};
  const json out = json::parse(summary_json({report_of(trading())}, nullptr, options));
  EXPECT_EQ(out["values"][0]["p25"], -251);
  EXPECT_TRUE(out["values"][0].contains("p99.99"));
  EXPECT_FALSE(out["values"][0].contains("p50"));
  EXPECT_TRUE(out["pulses"][0]["latency_ns"].contains("p25"));
  EXPECT_TRUE(out["scopes"][2]["response_ns"].contains("p25"));
}

TEST(RecordKindsJson, WhatWasNotMeasuredIsNull) {
  const json out = json::parse(summary_json({report_of(trading(false))}, nullptr, {}));
  for (const char* key : {"next", "pulse", "timer_step"}) EXPECT_TRUE(out["cost"][key].is_null()) << key;
  for (const auto& [pair, facts] : out["cost"]["pairs"].items())
    for (const auto& [key, value] : facts.items()) EXPECT_TRUE(value.is_null()) << pair << key;
}

TEST(RecordKindsJson, TheCorrectedViewKeepsNumbers) {
  const json out = json::parse(summary_json({report_of(trading(), analyze::View::corrected)}, nullptr, {}));
  EXPECT_EQ(out["view"], "corrected");
  bool seen = false;
  for (const json& row : out["scopes"])
    if (row["name"] == "empty") {
      seen = true;
      EXPECT_EQ(row["latency_ns"]["min"], 0);
      EXPECT_EQ(row["latency_ns"]["max"], 15);
    } else if (row["name"] == "transit") {
      EXPECT_EQ(row["latency_ns"]["min"], 3000);  // spans are the program's own
    } else if (row["name"] == "order") {
      EXPECT_EQ(row["latency_ns"]["min"], 290);
      EXPECT_EQ(row["response_ns"]["max"], 41000);
    }
  EXPECT_TRUE(seen);
  EXPECT_EQ(out["pulses"][0]["latency_ns"]["max"], 100000);
}

TEST(RecordKindsJson, MergedReportsAddUp) {
  const std::vector<analyze::Report> reports = {report_of(trading()), report_of(trading())};
  const analyze::Report merged = analyze::merge(reports);
  const json out = json::parse(summary_json(reports, &merged, {}))["merged"];
  for (const json& row : out["scopes"])
    if (row["name"] == "order") {
      EXPECT_EQ(row["early"], 2);
      EXPECT_EQ(row["discarded"], 2);
      EXPECT_EQ(row["response_count"], 2002);
    }
  EXPECT_EQ(out["values"][0]["count"], 2000);
  EXPECT_EQ(out["pulses"][0]["count"], 2000);
  EXPECT_TRUE(out["marks"].is_null());
  EXPECT_TRUE(out["cost"].is_null());
  EXPECT_THAT(merged_text(merged, 2, {}, {}), HasSubstr("Service time (from the call) and response time"));
}

TEST(RecordKindsText, SaysOwnCostInTheHeadAndWhatIsBelowTheFloor) {
  const std::string raw = summary_text(report_of(trading()), {}, {});
  EXPECT_THAT(raw,
              HasSubstr("Own cost: an empty fast pair measures 10 ns (p99 12 ns) and takes 14 ns, timer step 1 ns\n"
                        "'< floor': less than an empty one measures, 10 ns;"));
  EXPECT_THAT(raw, HasSubstr("  < floor  < floor"));
  EXPECT_THAT(raw, HasSubstr("  25.0 ns  "));
  const std::string corrected = summary_text(report_of(trading(), analyze::View::corrected), {}, {});
  EXPECT_THAT(corrected, HasSubstr("'< floor': measured no more than an empty one may, 12 ns;"));
  EXPECT_THAT(corrected, HasSubstr("Scopes, most time first, without what recording took (corrected)"));
  EXPECT_THAT(corrected, HasSubstr("  15.0 ns  "));
  const std::string without = summary_text(report_of(trading(false), analyze::View::corrected), {}, {});
  EXPECT_THAT(without, HasSubstr("Own cost: not observable"));
  EXPECT_THAT(without, HasSubstr("Note: cannot be corrected"));
  EXPECT_THAT(without, Not(HasSubstr("floor")));
}

TEST(RecordKindsText, ShowsServiceAndResponseValuesPulsesAndMarks) {
  const std::string text = summary_text(report_of(trading()), {}, {});
  EXPECT_THAT(text, HasSubstr("Service time (from the call) and response time (from the intended begin)"));
  const std::size_t service = text.find("service   1,001"), response = text.find("response  1,001");
  ASSERT_NE(service, std::string::npos) << text;
  ASSERT_NE(response, std::string::npos) << text;
  EXPECT_EQ(text.find('\n', service), text.rfind('\n', response));  // one below the other
  EXPECT_THAT(text, HasSubstr("early: the intended begin lay in the future"));
  EXPECT_THAT(text, HasSubstr("discarded"));
  EXPECT_THAT(text, HasSubstr("markout_100ms [ticks]  1,000  -500   -1  399  489    498  499  -0.50"));
  EXPECT_THAT(text, HasSubstr("Pulses: time from one to the next on its thread"));
  EXPECT_THAT(text, HasSubstr("feed #1: auction\\xff opens \\x1b[2J"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_THAT(text, HasSubstr("Slowest response: scope 'order' ended up to 41.0 us after its intended begin"));
}

TEST(RecordKindsText, FitsTheTerminal) {
  for (const unsigned columns : {60u, 80u, 120u}) {
    const std::string text = summary_text(report_of(trading()), {}, {columns, false});
    for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      const bool to_paste = text.compare(at, 6, "Next: ") == 0;
      EXPECT_TRUE(to_paste || end - at <= columns) << text.substr(at, end - at);
    }
  }
}

}  // namespace
}  // namespace tl::render
