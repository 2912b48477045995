// A dump that is followed while it grows, by pieces of any size, from part to part, and as its file becomes another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "good_dump.h"
#include "read/follower.h"

namespace tl::test {
namespace {

using dump::EndReason;
using read::Follower;

class Following : public ::testing::Test {
 protected:
  Following() { std::filesystem::create_directory(folder()); }
  ~Following() override { std::filesystem::remove_all(folder()); }

  std::string folder() const { return place_.path() + ".d"; }
  std::string path(const std::string& name = "a.tl") const { return folder() + "/" + name; }
  void append(const std::string& bytes, const std::string& name = "a.tl") const {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << bytes;
  }
  void replace(const std::string& bytes, const std::string& name = "a.tl") const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  Follower::Step step() {
    const Follower::Step out = follower_.step(
        [&](const read::RecordRun& run) {
          for (std::uint32_t i = 0; i < run.count; ++i) sum_ += run.number[i];
          seen_ += run.count;
        },
        [&] { seen_ = sum_ = 0; });
    EXPECT_EQ(out.failure, "");
    return out;
  }

  TemporaryFile place_{""};
  Follower follower_{path()};
  std::uint64_t seen_ = 0, sum_ = 0;
};

std::string part(std::uint32_t number, EndReason reason = EndReason::continued) {
  DumpBuilder dump;
  dump.process().part(number, 2, 1000 * number).anchor(0, 0).names({"a"}).thread(0, "main", 1);
  dump.scopes(0, 2 * (number - 1), {{1000 * number + 10, 1, 1}, {1000 * number + 20, 1, 1}});
  return dump.anchor(1000 * number + 500, 1000 * number + 500).end(1000 * number + 500, 2, reason).bytes();
}

TEST_F(Following, WhatComesInPiecesOfAnySizeIsSeenOnce) {
  for (const std::size_t piece : {7u, 64u, 1000u}) {
    const std::string bytes = piece == 7 ? rich_dump().substr(0, 3000) : rich_dump();
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      append(bytes.substr(at, piece));
      const auto state = step().state;
      if (at > 16) { EXPECT_NE(state, Follower::State::waiting); }
    }
    read::Dump whole;
    ASSERT_EQ(whole.open(path()), "");
    std::uint64_t count = 0, sum = 0;
    whole.for_each_run(read::Order::forwards, [&](const read::RecordRun& run) {
      for (std::uint32_t i = 0; i < run.count; ++i) sum += run.number[i];
      count += run.count;
    });
    EXPECT_EQ(seen_, count);
    EXPECT_EQ(sum_, sum);
    EXPECT_EQ(follower_.dump()->facts().records, whole.facts().records);
    if (piece != 7) {
      EXPECT_EQ(step().state, Follower::State::ended);
      EXPECT_FALSE(follower_.dump()->facts().damaged());
    }
    std::filesystem::remove(path());
    follower_ = Follower(path());
    seen_ = sum_ = 0;
  }
}

TEST_F(Following, WaitsForTheFile) {
  EXPECT_EQ(step().state, Follower::State::waiting);
  EXPECT_EQ(follower_.dump(), nullptr);
  append("TLDUMP");
  EXPECT_EQ(step().state, Follower::State::waiting);
  replace(good_dump(10));
  EXPECT_EQ(step().state, Follower::State::ended);
  EXPECT_EQ(seen_, 10u);
}

TEST_F(Following, GoesOnInTheNextPartWhereverItLies) {
  append(part(1));
  EXPECT_EQ(step().state, Follower::State::reading);
  EXPECT_EQ(step().state, Follower::State::reading);
  EXPECT_EQ(seen_, 2u);
  append(part(2), "a.tl.1");
  EXPECT_EQ(step().state, Follower::State::reading);
  EXPECT_EQ(seen_, 4u);
  replace(part(3));  // the first file again
  EXPECT_EQ(step().state, Follower::State::reading);
  EXPECT_EQ(seen_, 6u);
  replace(part(4, EndReason::exit), "a.tl.1");
  step();
  EXPECT_EQ(step().state, Follower::State::ended);
  EXPECT_EQ(seen_, 8u);
  const read::Facts& facts = follower_.dump()->facts();
  EXPECT_EQ(facts.records, 8u);
  EXPECT_EQ(facts.threads.at(0).missing + facts.threads.at(0).elsewhere, 0u);
}

TEST_F(Following, APartThatWasOverwrittenMeanwhileIsElsewhere) {
  append(part(1).substr(0, part(1).size() - 60));
  step();
  EXPECT_EQ(seen_, 2u);
  replace(part(3, EndReason::exit));
  step();
  EXPECT_EQ(step().state, Follower::State::ended);
  EXPECT_EQ(seen_, 4u);
  EXPECT_EQ(follower_.dump()->facts().threads.at(0).elsewhere, 2u);
}

TEST_F(Following, AnotherDumpInTheFilesPlaceBeginsAnew) {
  const std::string good = good_dump(1000);
  append(good.substr(0, good.size() / 2));
  step();
  EXPECT_GT(seen_, 0u);
  std::filesystem::remove(path());
  EXPECT_EQ(step().state, Follower::State::reading);  // still the one that is open
  DumpBuilder other;
  other.process(dump::ClockSource::clock_gettime, 3, "other").anchor(0, 0).names({"b"});
  append(other.take());
  EXPECT_TRUE(step().replaced);
  EXPECT_EQ(seen_, 0u);
  append(other.scopes(0, 0, {{100, 1, 1}}).take());
  EXPECT_FALSE(step().replaced);
  EXPECT_EQ(seen_, 1u);
  // Written anew in place, and longer than before.
  replace(good_dump(500));
  const Follower::Step last = step();
  EXPECT_TRUE(last.replaced);
  EXPECT_EQ(seen_, 500u);
  EXPECT_EQ(step().state, Follower::State::ended);
}

TEST_F(Following, DamageBetweenBlocksIsToldAndAtTheEndAwaited) {
  DumpBuilder dump;
  dump.process().anchor(0, 0).names({"a"}).scopes(0, 0, {{100, 1, 1}});
  append(dump.take() + "noise");
  step();
  EXPECT_FALSE(follower_.dump()->facts().damaged());  // a block may follow
  append(dump.scopes(0, 1, {{200, 1, 1}}).end(300, 2).take() + "TBL");
  EXPECT_EQ(step().state, Follower::State::ended);
  EXPECT_EQ(seen_, 2u);
  EXPECT_EQ(follower_.dump()->facts().corrupt_bytes, 5u);
  EXPECT_TRUE(follower_.dump()->facts().torn);
}

}  // namespace
}  // namespace tl::test
