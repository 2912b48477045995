#include "dump/records_codec.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

namespace tl::dump {
namespace {

std::vector<unsigned char> encoded(const RecordColumns& columns, BlockHeader& header) {
  std::vector<unsigned char> buffer(16384);
  ByteWriter out(buffer.data(), buffer.size());
  encode_records(columns, out);
  EXPECT_FALSE(out.full());
  buffer.resize(out.size());
  header = BlockHeader{};
  header.count = columns.count;
  header.first_ticks = columns.ticks[0];
  header.payload_bytes = static_cast<std::uint32_t>(out.size());
  return buffer;
}

TEST(RecordsCodec, AnyRecordsComeBack) {
  std::mt19937_64 random(3);
  auto in = std::make_unique<RecordColumns>(), out = std::make_unique<RecordColumns>();
  for (int round = 0; round < 3000; ++round) {
    in->count = 1 + static_cast<std::uint32_t>(random() % kRecordsPerBlock);
    in->first_sequence = random();
    const unsigned duration_shift = static_cast<unsigned>(random() % 64),
                   gap_shift = static_cast<unsigned>(random() % 64);
    std::uint64_t end = random();
    for (std::uint32_t i = 0; i < in->count; ++i) {
      end += random() >> gap_shift;
      if (random() % 16 == 0) end -= random() >> gap_shift;  // clocks of two CPUs may disagree
      in->ticks[i] = end;
      in->number[i] = random() >> duration_shift;
      in->id[i] = static_cast<std::uint16_t>(1 + random() % (round % 2 == 0 ? 65535 : 3));
      in->kind[i] = static_cast<RecordKind>(random() % (round % 3 == 0 ? 1 : 0x80));
    }
    BlockHeader header;
    const std::vector<unsigned char> payload = encoded(*in, header);
    ASSERT_TRUE(decode_records(header, payload.data(), *out));
    ASSERT_EQ(out->first_sequence, in->first_sequence);
    for (std::uint32_t i = 0; i < in->count; ++i) {
      ASSERT_EQ(out->ticks[i], in->ticks[i]);
      ASSERT_EQ(out->number[i], in->number[i]);
      ASSERT_EQ(out->id[i], in->id[i]);
      ASSERT_EQ(out->kind[i], in->kind[i]);
    }
  }
}

TEST(RecordsCodec, OneScopeOverAndOverIsSmall) {
  auto in = std::make_unique<RecordColumns>();
  in->count = kRecordsPerBlock;
  for (std::uint32_t i = 0; i < in->count; ++i) {
    in->ticks[i] = 1000000 + 60 * i;
    in->number[i] = 30 + i % 4;
    in->id[i] = 5;
    in->kind[i] = RecordKind::scope;
  }
  BlockHeader header;
  EXPECT_LE(encoded(*in, header).size(), 2u * kRecordsPerBlock);
}

TEST(RecordsCodec, ContradictionsAreRefused) {
  auto in = std::make_unique<RecordColumns>(), out = std::make_unique<RecordColumns>();
  in->count = 10;
  for (std::uint32_t i = 0; i < in->count; ++i)
    in->ticks[i] = i * 1000, in->number[i] = i, in->id[i] = 1, in->kind[i] = RecordKind::scope;
  BlockHeader good;
  const std::vector<unsigned char> payload = encoded(*in, good);
  ASSERT_TRUE(decode_records(good, payload.data(), *out));

  BlockHeader header = good;
  header.count = 0;
  EXPECT_FALSE(decode_records(header, payload.data(), *out));
  header.count = kRecordsPerBlock + 1;
  EXPECT_FALSE(decode_records(header, payload.data(), *out));
  header.count = 100;  // more than the columns hold
  EXPECT_FALSE(decode_records(header, payload.data(), *out));
  header = good;
  header.payload_bytes -= 1;
  EXPECT_FALSE(decode_records(header, payload.data(), *out));
  std::vector<unsigned char> changed = payload;
  changed[8] = 9;  // an encoding that is not there
  EXPECT_FALSE(decode_records(good, changed.data(), *out));
  changed = payload;
  changed[9] = 65;  // a width beyond 64 bits
  EXPECT_FALSE(decode_records(good, changed.data(), *out));
}

}  // namespace
}  // namespace tl::dump
