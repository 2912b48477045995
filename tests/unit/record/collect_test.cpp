// What the collector makes of a ring in which everything comes in turn.
#include <random>

#include "recording.h"

namespace tl::record {
namespace {

using Collect = Recording;

// Runs of common records and of rare ones, places that were never filled, and a sink that often refuses.
TEST_F(Collect, WhateverComesInTurnComesOutOnceAndInItsPlace) {
  std::mt19937_64 random(11);
  const std::uint32_t id = register_scope("turn");
  begin(tls, id), end(tls, id);
  collect();
  ASSERT_EQ(records.size(), 1u);

  std::vector<DecodedRecord> made(records);
  std::uint64_t sequence = 1, ticks = records[0].ticks;
  for (int round = 0; round < 300; ++round) {
    for (std::uint64_t runs = random() % 6; runs > 0; --runs) {
      const std::uint64_t kind_of_run = random() % 8, most = random() % 3 == 0 ? 700 : 3;
      for (std::uint64_t left = 1 + random() % most; left > 0; --left, ++sequence) {
        if (kind_of_run == 0) {  // begun and never finished
          if (room_at(tls.cursor) == 0) break;
          reserve(tls);
          continue;
        }
        const auto kind =
            kind_of_run < 3 ? dump::RecordKind::discarded : static_cast<dump::RecordKind>(random() % 3 * 0x10);
        const std::uint64_t number = random() >> (24 + random() % 40);
        ticks += random() >> (24 + random() % 40);
        put_record(tls, ticks, dump::record_word(id, kind, number));
        made.push_back({tls.slot->serial, sequence, ticks, kind, id, number});
      }
    }
    refuse = random() % 3 == 0;
    const bool to_the_end = random() % 2 == 0;  // a hole stops the collector until no more can come
    const bool done =
        collector->put_records(*tls.slot, to_the_end ? shm::Until::end : shm::Until::last_record) && collector->flush();
    EXPECT_TRUE(done || refuse);
  }
  refuse = false;
  collect(true);
  ASSERT_EQ(records.size(), made.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    ASSERT_EQ(records[i].sequence, made[i].sequence);
    ASSERT_EQ(records[i].ticks, made[i].ticks);
    ASSERT_EQ(records[i].kind, made[i].kind);
    ASSERT_EQ(records[i].id, made[i].id);
    ASSERT_EQ(records[i].number, made[i].number);
  }
}

}  // namespace
}  // namespace tl::record
