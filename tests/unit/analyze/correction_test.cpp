// Times without own cost, against a program that is simulated here with a tree of scopes.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>

#include "report_of.h"

namespace tl::analyze {
namespace {

using dump::RecordKind;
using test::DumpBuilder;
using test::Scope;

struct Costs {
  std::uint64_t measures, whole;
};
const std::map<std::uint8_t, Costs> kCosts = {{0x00, {20, 25}}, {0x0a, {70, 90}}, {0x02, {40, 60}}};

std::vector<DumpBuilder::Cost> cost_rows() {
  std::vector<DumpBuilder::Cost> rows;
  for (const auto& [kind, cost] : kCosts)
    rows.push_back({kind, cost.measures - 2, cost.measures, cost.measures + 1, cost.measures + 3, 500, cost.whole});
  return rows;
}

struct Node {
  std::uint64_t begin, end = 0;
  std::uint16_t id;
  std::uint8_t kind;
  int parent;
};

// Three scopes that call each other and themselves; no two stamps are equal.
std::vector<Node> simulate(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Node> nodes;
  std::vector<int> stack, ended;
  std::uint64_t now = 1000;
  for (int step = 0; step < 4000 || !stack.empty(); ++step) {
    now += 1 + random() % 300;
    if (step < 4000 && (stack.empty() || (stack.size() < 20 && random() % 2 == 0))) {
      const auto kind = std::next(kCosts.begin(), random() % 3)->first;
      nodes.push_back({now, 0, static_cast<std::uint16_t>(1 + random() % 3), kind, stack.empty() ? -1 : stack.back()});
      stack.push_back(static_cast<int>(nodes.size()) - 1);
    } else {
      nodes[static_cast<std::size_t>(stack.back())].end = now;
      stack.pop_back();
    }
  }
  return nodes;
}

struct Expected {
  std::vector<double> samples;
  double total = 0, self = 0;
};

std::map<std::uint16_t, Expected> expect(const std::vector<Node>& nodes, bool corrected) {
  std::vector<double> times, children(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double time = static_cast<double>(nodes[i].end - nodes[i].begin);
    if (corrected) {
      time -= static_cast<double>(kCosts.at(nodes[i].kind).measures);
      for (std::size_t j = 0; j < nodes.size(); ++j)
        if (nodes[j].begin > nodes[i].begin && nodes[j].end < nodes[i].end)
          time -= static_cast<double>(kCosts.at(nodes[j].kind).whole);
    }
    times.push_back(std::max(0.0, time));
    if (nodes[i].parent >= 0) children[static_cast<std::size_t>(nodes[i].parent)] += times.back();
  }
  std::map<std::uint16_t, Expected> out;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Expected& e = out[nodes[i].id];
    e.samples.push_back(times[i]);
    e.self += times[i];
    bool outermost = true;
    for (int p = nodes[i].parent; p >= 0; p = nodes[static_cast<std::size_t>(p)].parent)
      outermost &= nodes[static_cast<std::size_t>(p)].id != nodes[i].id;
    if (outermost) e.total += times[i];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) out[nodes[i].id].self -= children[i];
  return out;
}

DumpBuilder dump_of(std::vector<Node> nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.end < b.end; });
  std::vector<Scope> records;
  for (const Node& node : nodes)
    records.push_back({node.end, node.end - node.begin, node.id, static_cast<RecordKind>(node.kind)});
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a", "b", "c"}).scopes(0, 0, records).cost(1, cost_rows());
  dump.anchor(records.back().end, records.back().end).end(records.back().end, records.size());
  return dump;
}

TEST(Correction, EachSampleLosesItsOwnPairAndWhatAllInsideItTook) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const std::vector<Node> nodes = simulate(seed);
    const DumpBuilder dump = dump_of(nodes);
    for (const bool corrected : {false, true}) {
      const Report report = report_of(dump, {}, corrected ? View::corrected : View::raw);
      EXPECT_EQ(report.corrected, corrected);
      EXPECT_EQ(report.clock.anomalies, 0u);
      for (auto& [id, e] : expect(nodes, corrected)) {
        const ScopeRow* row = find(report, std::string(1, static_cast<char>('a' + id - 1)));
        ASSERT_NE(row, nullptr);
        std::vector<double> samples = e.samples;
        std::sort(samples.begin(), samples.end());
        ASSERT_EQ(row->latency.count(), samples.size());
        EXPECT_DOUBLE_EQ(row->latency.min_ns(), samples.front());
        EXPECT_DOUBLE_EQ(row->latency.max_ns(), samples.back());
        EXPECT_NEAR(row->total_ns, e.total, 1e-3);
        EXPECT_NEAR(row->self_ns, e.self, 1e-3);
        for (const double percent : {10.0, 50.0, 90.0, 99.0}) {
          const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(samples.size())));
          EXPECT_GE(row->latency.percentile_ns(percent), samples[rank - 1] - 1e-9);
          EXPECT_LE(row->latency.percentile_ns(percent), samples[rank - 1] * (1 + 1.0 / 1024) + 1e-9);
        }
      }
    }
  }
}

TEST(Correction, ATimeThatRecordingAloneMayMeasureIsBelowTheFloor) {
  DumpBuilder dump;  // an empty fast pair measures 20, 23 at most; a hard one 70 and 73
  dump.process().anchor(0, 0).names({"fast", "both", "unknown", "carried"}).cost(1, cost_rows());
  std::vector<Scope> records;
  for (const std::uint64_t duration : {19, 20, 23, 24}) records.push_back({records.size() * 1000 + 1000, duration, 1});
  records.push_back({10000, 50, 2});
  records.push_back({11000, 80, 2, static_cast<RecordKind>(0x0a)});
  records.push_back({12000, 5, 3, static_cast<RecordKind>(0x05)});  // mid_mid is not among the costs
  records.push_back({13000, 0, 4, RecordKind::span});
  dump.scopes(0, 0, records).end(20000, records.size());

  const Report raw = report_of(dump);
  const ScopeRow& fast = *find(raw, "fast");
  EXPECT_TRUE(fast.below_floor(19));
  EXPECT_FALSE(fast.below_floor(20));
  EXPECT_EQ(fast.latency.min_ns(), 19);              // the number stays what it was
  EXPECT_FALSE(find(raw, "both")->below_floor(50));  // the cheaper of its pairs may have measured that
  for (const char* name : {"unknown", "carried"}) EXPECT_FALSE(find(raw, name)->below_floor(0)) << name;

  const Report corrected = report_of(dump, {}, View::corrected);
  const ScopeRow& row = *find(corrected, "fast");
  EXPECT_EQ(row.latency.min_ns(), 0);
  EXPECT_EQ(row.latency.max_ns(), 4);
  EXPECT_TRUE(row.below_floor(row.latency.percentile_ns(75)));  // measured 23
  EXPECT_FALSE(row.below_floor(row.latency.max_ns()));          // measured 24
  EXPECT_EQ(find(corrected, "unknown")->latency.max_ns(), 5);   // nothing to take off
  EXPECT_THAT(corrected.notes, ::testing::Contains(::testing::HasSubstr("not in the dump: scopes of mid_mid")));
  EXPECT_EQ(find(corrected, "carried")->latency.max_ns(), 0);
  EXPECT_FALSE(find(corrected, "carried")->floor_ns);
}

TEST(Correction, WithoutCostsTheReportIsAsMeasuredAndSaysWhy) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 10, 1}});
  DumpBuilder never_sampled = dump, other_rows = dump;
  never_sampled.cost(1, {{0, 0, 0, 0, 0, 0, 0, 0}});
  other_rows.cost(1, {{dump::kCostNext, 1, 2, 3, 4, 5, 6}});
  for (DumpBuilder* one : {&dump, &never_sampled, &other_rows}) {
    one->end(200, 1);
    const Report report = report_of(*one, {}, View::corrected);
    EXPECT_FALSE(report.corrected);
    EXPECT_THAT(report.why_not_corrected, ::testing::HasSubstr("not observable"));
    EXPECT_EQ(find(report, "a")->latency.max_ns(), 10);
    EXPECT_FALSE(report.cost.pairs[0]);
  }
}

TEST(Correction, MergedAreReportsOfOneView) {
  const DumpBuilder with = dump_of(simulate(1));
  DumpBuilder without;
  without.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 10, 1}}).end(200, 1);
  const std::vector<Report> reports = {report_of(with, {}, View::corrected), report_of(without, {}, View::corrected),
                                       report_of(with, {}, View::corrected)};
  const Report merged = merge(reports);
  EXPECT_TRUE(merged.corrected);
  EXPECT_EQ(find(merged, "a")->latency.count(), 2 * find(reports[0], "a")->latency.count());
  EXPECT_EQ(find(merged, "a")->floor_ns, find(reports[0], "a")->floor_ns);
  EXPECT_THAT(merged.partial, ::testing::Contains(::testing::HasSubstr("its times cannot be corrected")));
}

}  // namespace
}  // namespace tl::analyze
