// A recording inside the test program, without hooks and without a drain thread: the test itself is the drain.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "clock/anchor.h"
#include "dump/block.h"
#include "record/gate.h"
#include "record/hot.h"
#include "record/process.h"
#include "record/registry.h"
#include "record/thread_life.h"
#include "shm/collector.h"

namespace tl::record {

struct DecodedRecord {
  std::uint32_t thread;
  std::uint64_t sequence;
  std::uint64_t ticks;
  dump::RecordKind kind;
  std::uint32_t id;
  std::uint64_t number;
};

class Recording : public ::testing::Test {
 protected:
  void SetUp() override {
    clock::choose_clock(true);
    config = Config{};
    ASSERT_TRUE(create_memory());
    process.phase.store(Phase::running);
    publish_names();
    update_gate();
    collector = std::make_unique<shm::Collector>();
    collector->open(view(), {take, this});
    collector->on_segment_free = [](std::uint32_t chunk) {
      return_chunk(chunk);
      process.pool_in_use.fetch_sub(1);
    };
  }
  void TearDown() override {
    process.phase.store(Phase::off);
    resume();
    update_gate();
    remove_shared_file();
    leave_memory();
    forget_memory();
    tls = ThreadState{};
    tls.ring = reinterpret_cast<shm::RingChunk*>(no_ring);
  }

  // All whole records so far of all threads, decoded from the blocks that the collector made.
  void collect(bool to_the_end = false) {
    const std::uint32_t slots = process.control->slots_used.load(std::memory_order_acquire);
    for (std::uint32_t i = 1; i < slots; ++i)
      if (shm::ThreadSlot* slot = view().slot(i); slot->state.load(std::memory_order_acquire) != 0) {
        ASSERT_TRUE(collector->put_records(*slot, to_the_end ? shm::Until::end : shm::Until::last_record));
      }
    collector->flush();
  }

  static shm::Wrote take(void* self, const void* bytes, std::size_t size, shm::Weight weight) {
    auto& test = *static_cast<Recording*>(self);
    if (test.refuse || weight < test.least_weight) return shm::Wrote::no_room;
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (std::size_t left = size; left > 0;) {
      dump::BlockView block;
      if (dump::read_block(at, left, block) != dump::BlockStatus::whole)
        return ADD_FAILURE() << "bad block", shm::Wrote::failed;
      test.decode(block);
      at += block.bytes;
      left -= block.bytes;
    }
    return shm::Wrote::all;
  }

  void decode(const dump::BlockView& block) {
    if (block.header.type == static_cast<std::uint16_t>(dump::BlockType::records)) {
      auto columns = std::make_unique<dump::RecordColumns>();
      ASSERT_TRUE(dump::decode_records(block.header, block.payload, *columns));
      for (std::uint32_t i = 0; i < columns->count; ++i)
        records.push_back({block.header.thread, columns->first_sequence + i, columns->ticks[i], columns->kind[i],
                           columns->id[i], columns->number[i]});
    } else if (block.header.type == static_cast<std::uint16_t>(dump::BlockType::events)) {
      ByteReader in(block.payload, block.header.payload_bytes);
      std::uint64_t sequence = in.fixed<std::uint64_t>();
      for (std::uint32_t i = 0; i < block.header.count; ++i) {
        const auto record = in.fixed<dump::RingRecord>();
        records.push_back({block.header.thread, sequence++, record.ticks, dump::kind_of(record.word),
                           dump::id_of(record.word), dump::number_of(record.word)});
      }
    } else if (block.header.type == static_cast<std::uint16_t>(dump::BlockType::counters)) {
      ByteReader in(block.payload, block.header.payload_bytes);
      in.raw(4 + 8 + 8 + 1);  // snapshot, records, scopes, causes
      for (std::uint64_t& lost : lost_of[block.header.thread]) lost = in.fixed<std::uint64_t>();
    }
  }

  std::unique_ptr<shm::Collector> collector;
  std::vector<DecodedRecord> records;
  std::map<std::uint32_t, std::array<std::uint64_t, kLossCauses>> lost_of;  // as the last counters of a thread said
  bool refuse = false;
  shm::Weight least_weight = shm::Weight::records;  // what weighs less is refused
};

}  // namespace tl::record
