#include <atomic>
#include <map>
#include <thread>

#include "recording.h"

namespace tl::record {
namespace {

using Ring = Recording;

std::uint64_t lost(const shm::ThreadSlot& slot, LossCause cause) {
  return slot.lost[static_cast<unsigned>(cause)].load();
}

TEST_F(Ring, EveryScopeComesOutOnceAndInOrderWhileItIsDrained) {
  constexpr std::uint32_t kThreads = 3, kScopes = 60000;
  const std::uint32_t outer = register_scope("outer"), inner = register_scope("inner");
  std::atomic<std::uint32_t> running{kThreads};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < kScopes; ++i) {
        begin(tls, outer);
        begin(tls, inner);
        end(tls, inner);
        end(tls, outer);
      }
      running.fetch_sub(1);
    });
  while (running.load() != 0) collect();
  for (std::thread& thread : threads) thread.join();
  collect(true);

  std::map<std::uint32_t, std::uint64_t> next;
  std::uint64_t lost_in_all = 0;
  for (std::uint32_t i = 1; i <= kThreads; ++i) lost_in_all += lost(*view().slot(i), LossCause::ring_full);
  std::uint64_t scopes = 0;
  for (const DecodedRecord& record : records) {
    ASSERT_EQ(record.sequence, next[record.thread]++);
    if (record.kind == dump::RecordKind::scope) ++scopes;
  }
  EXPECT_EQ(next.size(), kThreads);
  EXPECT_EQ(scopes + lost_in_all, 2u * kThreads * kScopes);
}

TEST_F(Ring, AFullRingDropsCountsAndSaysWhen) {
  config.ring_records = kMinRingRecords;
  const std::uint32_t id = register_scope("busy");
  for (int i = 0; i < 5000; ++i) begin(tls, id), end(tls, id);
  EXPECT_EQ(lost(*tls.slot, LossCause::ring_full), 5000 - kMinRingRecords);
  collect();
  ASSERT_EQ(records.size(), kMinRingRecords);
  const auto expect_episode = [&](std::size_t at) {
    EXPECT_EQ(records[at].kind, dump::RecordKind::loss_from);
    EXPECT_EQ(records[at].number, 5000 - kMinRingRecords);
    EXPECT_GT(records[at].ticks, records[kMinRingRecords - 1].ticks);
    EXPECT_EQ(records[at + 1].kind, dump::RecordKind::loss_to);
    EXPECT_EQ(records[at + 1].number, static_cast<std::uint64_t>(LossCause::ring_full));
  };
  // An episode that goes on at the end of the thread stands outside the ring.
  collector->put_totals(*tls.slot);
  collector->flush();
  ASSERT_EQ(records.size(), kMinRingRecords + 2);
  EXPECT_EQ(records[kMinRingRecords].sequence, dump::kOutsideTheRing);
  expect_episode(kMinRingRecords);
  // Drained, the ring takes records again, the episode first.
  begin(tls, id), end(tls, id);
  collect();
  ASSERT_EQ(records.size(), kMinRingRecords + 5);
  expect_episode(kMinRingRecords + 2);
  EXPECT_EQ(records.back().kind, dump::RecordKind::scope);
  EXPECT_EQ(tls.slot->loss_records, 0u);
}

TEST_F(Ring, WhatTheSinkRefusedIsTakenAgain) {
  const std::uint32_t id = register_scope("again");
  for (int i = 0; i < 10000; ++i) begin(tls, id), end(tls, id);
  refuse = true;
  EXPECT_FALSE(collector->put_records(*tls.slot, shm::Until::last_record) && collector->flush());
  EXPECT_TRUE(records.empty());
  refuse = false;
  collect();
  EXPECT_EQ(records.size(), 10000u);
  for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i].sequence, i);
}

// While more come only full blocks are made; what else is there waits, unless records of another sort follow.
TEST_F(Ring, FullBlocksAloneAreTakenMeanwhile) {
  const std::uint32_t id = register_scope("meanwhile");
  const auto record = [&](int times) {
    for (int i = 0; i < times; ++i) begin(tls, id), end(tls, id);
  };
  const auto take_full = [&] {
    ASSERT_TRUE(collector->put_records(*tls.slot, shm::Until::full_blocks) && collector->flush());
  };
  record(kRecordsPerBlock - 1);
  take_full();
  EXPECT_EQ(records.size(), 0u);
  record(kRecordsPerBlock + 3);
  take_full();
  EXPECT_EQ(records.size(), 2 * kRecordsPerBlock);
  mark(tls, "m");
  take_full();
  EXPECT_EQ(records.size(), 2 * kRecordsPerBlock + 2);
  mark(tls, "m");
  record(1);
  take_full();
  EXPECT_EQ(records.size(), 2 * kRecordsPerBlock + 6);  // two marks, each with its text
  collect();
  EXPECT_EQ(records.size(), 2 * kRecordsPerBlock + 7);
}

// What the dump has no room for is passed over, and told once there is: as many as there were, and when.
TEST_F(Ring, WithoutRoomRecordsAreDroppedAndCounted) {
  const std::uint32_t id = register_scope("dropped");
  const auto record = [&](int times) {
    for (int i = 0; i < times; ++i) begin(tls, id), end(tls, id);
  };
  record(100);
  collect();
  collector->drop_records(true);
  const std::uint64_t before = clock::ticks();
  record(9000);
  mark(tls, "a text of more than thirteen bytes, so of more records than one");
  collect();
  EXPECT_EQ(records.size(), 100u);
  EXPECT_EQ(tls.slot->dropped_calls, 9001u);
  record(7);
  collector->drop_records(false);
  ASSERT_TRUE(collector->put_drops(*tls.slot));
  collect();
  ASSERT_EQ(records.size(), 110u);
  EXPECT_EQ(records[100].kind, dump::RecordKind::dropped);
  const std::uint64_t dropped = 9000 + 1 + 5;  // the mark's text takes five
  EXPECT_EQ(records[100].number, dropped);
  EXPECT_EQ(records[101].number, 9001u);
  EXPECT_EQ(records[102].number, static_cast<std::uint64_t>(LossCause::disk_full));
  EXPECT_GE(records[101].ticks, before);
  EXPECT_LE(records[101].ticks, records[102].ticks);
  EXPECT_EQ(records[103].sequence, 100 + dropped);
  EXPECT_EQ(records.back().sequence, 106 + dropped);
  // Told once.
  ASSERT_TRUE(collector->put_drops(*tls.slot) && collector->flush());
  EXPECT_EQ(records.size(), 110u);
}

// Counts may reach into a file's reserve, and where that is too small for those of each thread, their sum may.
TEST_F(Ring, LastWordsAreSaidWhereThereIsNoRoomForMore) {
  const std::uint32_t id = register_scope("last");
  for (int i = 0; i < 50; ++i) begin(tls, id), end(tls, id);
  least_weight = shm::Weight::last_words;
  EXPECT_FALSE(collector->put_everything());
  EXPECT_EQ(collector->refusal(), shm::Wrote::no_room);
  collector->drop_records(true);
  const auto disk_full = static_cast<unsigned>(LossCause::disk_full);
  for (int again = 0; again < 2; ++again) {
    EXPECT_TRUE(collector->put_last_words());
    EXPECT_TRUE(records.empty());
    EXPECT_EQ(lost_of.size(), 1u);
    EXPECT_EQ(lost_of[rest_slot().serial][disk_full], 50u);
  }
  least_weight = shm::Weight::totals;
  EXPECT_TRUE(collector->put_last_words());
  EXPECT_EQ(lost_of[tls.slot->serial][disk_full], 50u);
  EXPECT_EQ(lost_of[rest_slot().serial][disk_full], 0u);
}

TEST_F(Ring, SegmentsComeBackToThePool) {
  const std::uint32_t id = register_scope("pool");
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 10000; ++i) begin(tls, id), end(tls, id);
    collect();
  }
  EXPECT_EQ(records.size(), 200u * 10000);
  EXPECT_LE(process.pool_in_use.load(), 2u);
  EXPECT_LE(process.control->next_chunk.load(), 16u);
}

TEST_F(Ring, ARecordThatWasBegunAndNeverFinishedIsPassedOverAtTheEnd) {
  const std::uint32_t id = register_scope("hole");
  begin(tls, id), end(tls, id);
  reserve(tls);
  begin(tls, id), end(tls, id);
  collect();
  EXPECT_EQ(records.size(), 1u);
  collect(true);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].sequence, 2u);
}

TEST_F(Ring, WithoutAPoolAThreadGoesOnOnceAllItMadeIsTaken) {
  config.ring_pool_chunks = 0;
  const std::uint32_t id = register_scope("frugal");
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 1000; ++i) begin(tls, id), end(tls, id);
    collect();
  }
  std::uint64_t scopes = 0;
  for (const DecodedRecord& record : records) scopes += record.kind == dump::RecordKind::scope;
  // What is lost is what comes between a full segment and the drain's next visit.
  EXPECT_EQ(scopes + lost(*tls.slot, LossCause::ring_full), 40u * 1000);
  EXPECT_GT(scopes, 30u * 1000);
  EXPECT_LE(process.pool_in_use.load(), 1u);
}

// As in a handler that interrupted the making of room.
TEST_F(Ring, NoNumberOfRecordsMakesAFullRingLookEmpty) {
  config.ring_records = kMinRingRecords;
  config.ring_pool_chunks = 0;
  const std::uint32_t id = register_scope("many");
  for (std::uint32_t i = 0; i < kMinRingRecords; ++i) begin(tls, id), end(tls, id);
  const std::uint64_t before = lost(*tls.slot, LossCause::ring_full);
  ++tls.busy;
  for (int i = 0; i < 200000; ++i) begin(tls, id), end(tls, id);
  --tls.busy;
  EXPECT_EQ(lost(*tls.slot, LossCause::ring_full), before + 200000);
  collect();
  begin(tls, id), end(tls, id);
  collect();
  EXPECT_EQ(records.back().id, id);
  EXPECT_EQ(records.back().kind, dump::RecordKind::scope);
}

}  // namespace
}  // namespace tl::record
