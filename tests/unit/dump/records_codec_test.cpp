#include "dump/records_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace tl::dump {
namespace {

using Bytes = std::vector<unsigned char>;

struct Encoded {
  BlockHeader header{};
  Bytes payload;
};

// Whatever lies in the memory of the encoder, it must not matter.
template <class Encode>
Encoded encoded(std::uint32_t count, std::uint64_t first_ticks, Encode encode) {
  Encoded block;
  block.payload.resize(16384);
  ByteWriter out(block.payload.data(), block.payload.size());
  const auto memory = std::make_unique<EncoderMemory>();
  std::memset(static_cast<void*>(memory.get()), 0xa5, sizeof *memory);
  encode(*memory, out);
  EXPECT_FALSE(out.full());
  block.payload.resize(out.size());
  block.header.count = count;
  block.header.first_ticks = first_ticks;
  block.header.payload_bytes = static_cast<std::uint32_t>(out.size());
  return block;
}

Encoded encoded(const RecordColumns& columns, const LaneCode& lanes = best_lanes()) {
  return encoded(columns.count, columns.ticks[0],
                 [&](EncoderMemory& memory, ByteWriter& out) { encode_records(columns, memory, out, lanes); });
}

Encoded encoded(const std::vector<RingRecord>& records, std::uint64_t sequence, const LaneCode& lanes = best_lanes()) {
  const auto count = static_cast<std::uint32_t>(records.size());
  return encoded(count, records[0].ticks, [&](EncoderMemory& memory, ByteWriter& out) {
    encode_records(records.data(), count, sequence, nullptr, memory, out, lanes);
  });
}

std::vector<const LaneCode*> builds() {
  std::vector<const LaneCode*> all = {&kBaselineLanes};
  if (avx2_lanes() != nullptr) all.push_back(avx2_lanes());
  return all;
}

void expect_same(const RecordColumns& a, const RecordColumns& b) {
  ASSERT_EQ(a.count, b.count);
  ASSERT_EQ(a.first_sequence, b.first_sequence);
  for (std::uint32_t i = 0; i < a.count; ++i) {
    ASSERT_EQ(a.ticks[i], b.ticks[i]);
    ASSERT_EQ(a.number[i], b.number[i]);
    ASSERT_EQ(a.id[i], b.id[i]);
    ASSERT_EQ(a.kind[i], b.kind[i]);
  }
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
    const Encoded block = encoded(*in);
    for (const LaneCode* lanes : builds()) {
      ASSERT_EQ(encoded(*in, *lanes).payload, block.payload);
      ASSERT_TRUE(decode_records(block.header, block.payload.data(), *out, *lanes));
      expect_same(*in, *out);
    }
  }
}

TEST(RecordsCodec, RingRecordsMakeTheSameBlockInEitherBuild) {
  std::mt19937_64 random(6);
  auto in = std::make_unique<RecordColumns>(), out = std::make_unique<RecordColumns>();
  for (int round = 0; round < 6000; ++round) {
    std::vector<RingRecord> records(1 + random() % kRecordsPerBlock);
    const auto number_bits = static_cast<unsigned>(random() % 41), gap_bits = static_cast<unsigned>(random() % 40);
    const std::uint64_t step = random() % 2 == 0 ? 26 : 1;
    const std::uint64_t ids = random() % 3 == 0 ? 65535 : 4, kinds = random() % 3 == 0 ? 0x80 : 1;
    std::uint64_t ticks = random() >> random() % 64;
    in->count = 0;
    in->first_sequence = random();
    for (RingRecord& record : records) {
      const auto up_to = [&](unsigned bits) { return bits == 0 ? 0 : random() >> (64 - bits) >> (random() % 4); };
      ticks += step * (random() % 60 == 0 ? up_to(50) : up_to(gap_bits));
      if (round % 4 == 0 && random() % 30 == 0) ticks -= step * up_to(gap_bits);
      const std::uint64_t number = (step * (random() % 60 == 0 ? up_to(40) : up_to(number_bits))) & kMaxNumber;
      const auto id = static_cast<std::uint16_t>(1 + random() % ids);
      const auto kind = static_cast<RecordKind>(random() % kinds);
      record = {ticks, record_word(id, kind, number)};
      in->ticks[in->count] = ticks;
      in->number[in->count] = number;
      in->kind[in->count] = kind;
      in->id[in->count++] = id;
    }
    const Encoded block = encoded(records, in->first_sequence);
    for (const LaneCode* lanes : builds()) {
      ASSERT_EQ(encoded(records, in->first_sequence, *lanes).payload, block.payload);
      ASSERT_TRUE(decode_records(block.header, block.payload.data(), *out, *lanes));
      expect_same(*in, *out);
    }
  }
}

// Bytes of a good block that were changed, and bytes of none. What both builds take, they take as the same records, and
// those can be written down again.
TEST(RecordsCodec, NoBytesLeadAstray) {
  std::mt19937_64 random(7);
  auto in = std::make_unique<RecordColumns>();
  int taken = 0;
  for (int round = 0; round < 30000; ++round) {
    Encoded block;
    if (round % 8 != 0) {
      in->count = 1 + static_cast<std::uint32_t>(random() % (round % 2 == 0 ? 12 : kRecordsPerBlock));
      in->first_sequence = 0;
      std::uint64_t ticks = 0;
      for (std::uint32_t i = 0; i < in->count; ++i) {
        in->ticks[i] = ticks += 26 * (random() % 300) + (random() % 50 == 0 ? random() >> random() % 60 : 0);
        in->number[i] = 26 * (random() % 50) + (random() % 50 == 0 ? random() >> random() % 60 : 0);
        in->id[i] = static_cast<std::uint16_t>(1 + random() % 4);
        in->kind[i] = static_cast<RecordKind>(random() % 0x41);
      }
      block = encoded(*in);
      for (std::uint64_t changes = random() % 4; changes > 0; --changes) {
        // Mostly in the headers of columns, of which the first stands behind the sequence.
        const std::size_t at = random() % 2 == 0 ? 8 + random() % 6 : random() % block.payload.size();
        block.payload[at % block.payload.size()] = static_cast<unsigned char>(random() >> random() % 8);
      }
      if (random() % 4 == 0) block.payload.resize(random() % (block.payload.size() + 1));
      if (random() % 4 == 0) block.header.count = static_cast<std::uint32_t>(random() % 300);
    } else {
      block.payload.resize(random() % 200);
      for (unsigned char& byte : block.payload) byte = static_cast<unsigned char>(random() >> random() % 64);
      block.header.count = static_cast<std::uint32_t>(random() % 260);
    }
    block.header.payload_bytes = static_cast<std::uint32_t>(block.payload.size());
    const Bytes exact = block.payload;  // no byte more, so that a sanitizer sees a step beyond
    std::vector<std::unique_ptr<RecordColumns>> read;
    for (const LaneCode* lanes : builds()) {
      read.push_back(std::make_unique<RecordColumns>());
      if (!decode_records(block.header, exact.data(), *read.back(), *lanes)) read.back() = nullptr;
      ASSERT_EQ(read.back() == nullptr, read.front() == nullptr);
    }
    if (read.front() == nullptr) continue;
    ++taken;
    for (const auto& columns : read) expect_same(*columns, *read.front());
    const Encoded again = encoded(*read.front());
    ASSERT_TRUE(decode_records(again.header, again.payload.data(), *in));
    expect_same(*in, *read.front());
  }
  EXPECT_GT(taken, 3000);
}

// Files of before the lanes: four columns of encoding 1, their times zigzag-coded.
TEST(RecordsCodec, BlocksOfPlainColumnsAreRead) {
  Bytes payload = {7, 0, 0, 0, 0, 0, 0, 0};  // sequence
  const auto column = [&](unsigned char width, std::uint64_t least, const Bytes& packed) {
    payload.insert(payload.end(), {1, width});
    for (unsigned i = 0; i < 8; ++i) payload.push_back(static_cast<unsigned char>(least >> 8 * i));
    payload.insert(payload.end(), packed.begin(), packed.end());
  };
  column(4, 100, {0x51, 0x0f});          // 101, 105, 115
  column(2, 3, {0b100100});              // 3, 4, 5
  column(0, 0x10, {});                   // spans
  column(8, 0, {0, 40 * 2, 7 * 2 - 1});  // +40, -7
  BlockHeader header{};
  header.count = 3;
  header.first_ticks = 1000;
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  auto columns = std::make_unique<RecordColumns>();
  ASSERT_TRUE(decode_records(header, payload.data(), *columns));
  const std::uint64_t ticks[] = {1000, 1040, 1033}, numbers[] = {101, 105, 115};
  EXPECT_EQ(columns->first_sequence, 7u);
  for (std::uint16_t i = 0; i < 3; ++i) {
    EXPECT_EQ(columns->ticks[i], ticks[i]);
    EXPECT_EQ(columns->number[i], numbers[i]);
    EXPECT_EQ(columns->id[i], 3 + i);
    EXPECT_EQ(columns->kind[i], RecordKind::span);
  }
}

// A thread at 200,000 items a second: three stages of some hundred ns to some us inside a fourth.
std::vector<RingRecord> four_stages(std::size_t count, std::uint64_t step) {
  std::mt19937_64 random(8);
  std::normal_distribution<double> noise;
  std::vector<RingRecord> records;
  double now_ns = 1e9, next_ns = now_ns;
  const auto ticks = [&](double ns) { return static_cast<std::uint64_t>(ns * 2.6) / step * step; };
  while (records.size() < count) {
    now_ns = std::max(now_ns, next_ns);
    next_ns += 5000;
    const double item_ns = now_ns;
    std::uint32_t id = 1;
    const auto scope = [&](double begin_ns) {
      records.push_back({ticks(now_ns), record_word(id++, RecordKind::scope, ticks(now_ns) - ticks(begin_ns))});
    };
    for (const double median_ns : {300., 700., 1200.}) {
      const double begin_ns = now_ns;
      now_ns += median_ns * std::exp(0.4 * noise(random));
      scope(begin_ns);
      now_ns += 15 + 10 * std::abs(noise(random));
    }
    scope(item_ns);
  }
  records.resize(count);
  return records;
}

double bytes_a_record(const std::vector<RingRecord>& records) {
  std::size_t bytes = 0;
  for (std::size_t at = 0; at < records.size(); at += kRecordsPerBlock) {
    const std::vector<RingRecord> block(records.begin() + static_cast<long>(at),
                                        records.begin() + static_cast<long>(at + kRecordsPerBlock));
    bytes += sizeof(BlockHeader) + encoded(block, at).payload.size();
  }
  return static_cast<double>(bytes) / static_cast<double>(records.size());
}

TEST(RecordsCodec, FourStagesTakeFourBytesARecord) {
  EXPECT_LE(bytes_a_record(four_stages(64 * kRecordsPerBlock, 26)), 3.0);
  EXPECT_LE(bytes_a_record(four_stages(64 * kRecordsPerBlock, 1)), 4.0);  // a clock that moves by single ticks
}

TEST(RecordsCodec, AThousandIdsTakeHalfAByteMore) {
  std::vector<RingRecord> records = four_stages(64 * kRecordsPerBlock, 26);
  std::mt19937_64 random(9);
  for (RingRecord& record : records)
    record.word =
        record_word(static_cast<std::uint32_t>(1 + random() % 1000), RecordKind::scope, number_of(record.word));
  EXPECT_LE(bytes_a_record(records), 4.0);
}

TEST(RecordsCodec, OneScopeOverAndOverIsSmall) {
  std::vector<RingRecord> records;
  for (std::uint32_t i = 0; i < kRecordsPerBlock; ++i)
    records.push_back({1000000 + 60 * i, record_word(5, RecordKind::scope, 30 + i % 4)});
  EXPECT_LE(bytes_a_record(records), 0.6);
}

TEST(RecordsCodec, ContradictionsAreRefused) {
  auto in = std::make_unique<RecordColumns>(), out = std::make_unique<RecordColumns>();
  in->count = 10;
  for (std::uint32_t i = 0; i < in->count; ++i)
    in->ticks[i] = i * 1000, in->number[i] = i, in->id[i] = 1, in->kind[i] = RecordKind::scope;
  const Encoded good = encoded(*in);
  ASSERT_TRUE(decode_records(good.header, good.payload.data(), *out));

  BlockHeader header = good.header;
  header.count = 0;
  EXPECT_FALSE(decode_records(header, good.payload.data(), *out));
  header.count = kRecordsPerBlock + 1;
  EXPECT_FALSE(decode_records(header, good.payload.data(), *out));
  header.count = 100;  // more than the columns hold
  EXPECT_FALSE(decode_records(header, good.payload.data(), *out));
  for (header = good.header; header.payload_bytes > 0;) {
    --header.payload_bytes;
    EXPECT_FALSE(decode_records(header, good.payload.data(), *out));
  }
  Bytes changed = good.payload;
  changed[8] = 9;  // an encoding that is not there
  EXPECT_FALSE(decode_records(good.header, changed.data(), *out));
  changed = good.payload;
  changed.push_back(0);  // more than the columns need
  header = good.header;
  ++header.payload_bytes;
  EXPECT_FALSE(decode_records(header, changed.data(), *out));
}

}  // namespace
}  // namespace tl::dump
