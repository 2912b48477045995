// The reader's memory does not follow the file's size, nor what a file can hold without end; and its second pass hands
// out the same from both ends.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "analyze/check.h"
#include "analyze/summary.h"
#include "good_dump.h"
#include "render/summary.h"

namespace tl::test {
namespace {

using dump::RecordKind;
using ::testing::Contains;
using ::testing::HasSubstr;

struct Ran {
  int status = -1;
  long most_kib = 0;
};

Ran run(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && ::dup2(nowhere, STDOUT_FILENO) >= 0) ::execv(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, usage.ru_maxrss};
}

class BigFile {
 public:
  explicit BigFile(std::uint64_t records) : place_("") {
    path_ = place_.path() + ".big";
    EXPECT_EQ(run({BIG_DUMP, path_, std::to_string(records)}).status, 0);
  }
  ~BigFile() { std::filesystem::remove(path_); }
  BigFile(const BigFile&) = delete;
  BigFile& operator=(const BigFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  TemporaryFile place_;
  std::string path_;
};

constexpr long kMostKib = 64 << 10;

#ifdef TL_SANITIZED  // whose shadow is counted too
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

void expect_small(std::uint64_t records) {
  const BigFile file(records);
  for (const char* command : {"summary", "check"}) {
    const Ran ran = run({TLREPORT, command, file.path()});
    EXPECT_EQ(ran.status, 0);
    if (kMemoryIsOurs) { EXPECT_LE(ran.most_kib, kMostKib) << command; }
  }
}

TEST(Bounded, MemoryDoesNotGrowWithTheRecords) {
  const BigFile small(1000000), large(8000000);
  const Ran of_small = run({TLREPORT, small.path()}), of_large = run({TLREPORT, large.path()});
  EXPECT_EQ(of_small.status, 0);
  EXPECT_EQ(of_large.status, 0);
  if (kMemoryIsOurs) { EXPECT_LE(of_large.most_kib, of_small.most_kib + 1024); }
}

TEST(Bounded, MemoryIsSmall) { expect_small(TL_LONG ? 100000000 : 2000000); }

// A dump that never holds more than a piece of itself in memory.
class LongFile {
 public:
  LongFile() : file_("") {
    out_.open(file_.path(), std::ios::binary);
    dump.process().anchor(0, 1000).names({"a", "b"});
  }
  void write() { out_ << dump.take(); }
  std::string done() {
    write();
    out_.close();
    return file_.path();
  }
  DumpBuilder dump;

 private:
  TemporaryFile file_;
  std::ofstream out_;
};

TEST(Bounded, WhatAProgramMakesWithoutEndIsCountedNotKept) {
  LongFile file;
  constexpr std::uint64_t kPairs = 25000;
  std::uint64_t sequence = 0;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    std::vector<dump::RingRecord> records = mark(10 * i + 1, "this text takes two records");
    records.push_back(event(10 * i + 2, 0, RecordKind::loss_from, 3));
    records.push_back(event(10 * i + 3, 0, RecordKind::loss_to, i % 2));
    file.dump.events(0, sequence, records).anchor(10 * i + 5, 1000 + 10 * i + 5).warning("w", "text");
    sequence += records.size();
    if (i % 100 == 0) file.write();
  }
  file.dump.counters(0, 1, sequence, 0, {3 * kPairs / 2, 3 * kPairs / 2}, 0, 0, {}).end(10 * kPairs, sequence);
  read::Dump dump;
  const std::string path = file.done();
  ASSERT_EQ(dump.open(path), "");
  const analyze::Report report = analyze::summarize(dump, {});
  EXPECT_EQ(report.losses.records, 3 * kPairs);
  EXPECT_EQ(report.losses.by_cause[0], 3 * kPairs / 2);
  EXPECT_EQ(report.losses.ranges.size(), read::kMostLosses);
  EXPECT_EQ(report.marks.size(), read::kMostMarks);
  EXPECT_EQ(report.marks.back().text, "this text takes two records");
  EXPECT_EQ(report.warnings.size(), read::kMostWarnings);
  EXPECT_THAT(report.notes, Contains(HasSubstr("there are 15,000 ranges of losses")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("there are 15,000 marks")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("there are 24,744 warnings")));
  EXPECT_LT(dump.clock().anchors().size(), 9000u);
  EXPECT_EQ(dump.clock().anchors().back().ticks, 10 * (kPairs - 1) + 5);
  EXPECT_EQ(analyze::check(dump).anchors, kPairs + 1);
  EXPECT_EQ(report.clock.ticks_per_ns, 1);
}

// Everything that the second pass hands out, by thread, in the order of the file.
using Seen = std::map<std::uint32_t, std::vector<std::tuple<std::uint64_t, std::uint64_t, unsigned, unsigned>>>;
Seen seen_in(read::Dump& dump, read::Order order) {
  Seen out;
  dump.for_each_run(order, [&](const read::RecordRun& run) {
    auto& all = out[run.thread];
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const std::uint32_t at = order == read::Order::forwards ? i : run.count - 1 - i;
      all.emplace_back(run.ticks[at], run.number[at], run.id[at], static_cast<unsigned>(run.kind[at]));
    }
  });
  for (auto& [thread, all] : out)
    if (order == read::Order::backwards) std::reverse(all.begin(), all.end());
  return out;
}

// Blocks of all kinds in random order, pairs across their borders, records that stand twice, holes and damage.
TEST(Bounded, BothEndsOfAFileTellTheSame) {
  std::mt19937 random(11);
  for (int variant = 0; variant < 30; ++variant) {
    LongFile file;
    Seen made;
    std::uint64_t ticks = 1000, sequence[2] = {};
    std::optional<std::uint64_t> half[2];  // wide_from at the end of the block before
    for (int block = 0; block < (variant < 28 ? 300 : 20000); ++block) {
      const std::uint32_t thread = random() % 2;
      const unsigned what = random() % 8;
      if (what < 3) {
        std::vector<Scope> scopes;
        for (unsigned n = 1 + random() % 8; n > 0; --n) scopes.push_back({ticks += 10, random() % 9, 1});
        const std::uint64_t again = random() % 4 == 0 ? std::min<std::uint64_t>(sequence[thread], random() % 3) : 0;
        std::vector<Scope> with_again(again, Scope{1, 1, 2});
        with_again.insert(with_again.end(), scopes.begin(), scopes.end());
        file.dump.scopes(thread, sequence[thread] - again, with_again);
        for (const Scope& scope : scopes) made[thread].emplace_back(scope.end, scope.duration, 1, 0);
        sequence[thread] += scopes.size();
        half[thread].reset();
      } else if (what < 6) {
        std::vector<dump::RingRecord> records;
        if (half[thread]) {
          if (random() % 4 == 0) {
            ++sequence[thread];  // the second half is missing
          } else {
            records.push_back(event(ticks += 10, 2, RecordKind::wide_to, 0));
            made[thread].emplace_back(ticks, ticks - *half[thread], 2, 0);
          }
          half[thread].reset();
        }
        for (const dump::RingRecord& record : wide(5, ticks += 10, 2, RecordKind::span)) records.push_back(record);
        made[thread].emplace_back(ticks, ticks - 5, 2, static_cast<unsigned>(RecordKind::span));
        records.push_back(event(ticks += 10, 1, RecordKind::scope, 7));
        made[thread].emplace_back(ticks, 7, 1, 0);
        if (random() % 2 == 0) {
          records.push_back(event(ticks, 2, RecordKind::wide_from));
          half[thread] = ticks;
        }
        file.dump.events(thread, sequence[thread], records);
        sequence[thread] += records.size();
      } else if (what == 6) {
        file.dump.raw(std::string(1 + random() % 40, '\x55'));
      } else {
        file.dump.anchor(ticks, ticks + 1000)
            .events(thread, dump::kOutsideTheRing, {event(ticks, 1, RecordKind::nothing)});
      }
    }
    read::Dump dump;
    const std::string path = file.done();
    ASSERT_EQ(dump.open(path), "");
    EXPECT_EQ(seen_in(dump, read::Order::forwards), made);
    EXPECT_EQ(seen_in(dump, read::Order::backwards), made);
  }
}

TEST(Bounded, WithTooMuchDamageTheReaderSaysThatItGaveUp) {
  LongFile file;
  for (std::uint64_t i = 0; i < 70000; ++i) {
    file.dump.scopes(0, i, {{100 + i, 1, 1}}).raw("x");
    if (i % 1000 == 0) file.write();
  }
  read::Dump dump;
  const std::string path = file.done();
  ASSERT_EQ(dump.open(path), "");
  const analyze::Report report = analyze::summarize(dump, {});
  EXPECT_GT(report.file.records, 60000u);
  EXPECT_LT(report.file.records, 70000u);
  EXPECT_EQ(report.scopes.at(0).latency.count(), report.file.records);
  EXPECT_FALSE(report.partial.empty());
  EXPECT_FALSE(report.file.complete);
}

}  // namespace
}  // namespace tl::test
