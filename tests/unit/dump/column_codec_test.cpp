// Columns against a packer that shares no code with them, with each build of the loops that this processor can run.
#include "dump/column_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>

#include "reference_column.h"

namespace tl::dump {
namespace {

using test::Bytes;
using test::ReferenceColumn;
using Values = std::vector<std::uint64_t>;

std::vector<const LaneCode*> builds() {
  std::vector<const LaneCode*> all = {&kBaselineLanes};
  if (avx2_lanes() != nullptr) all.push_back(avx2_lanes());
  return all;
}

// Exactly as many bytes as there are, so that a sanitizer sees each step beyond.
std::optional<Values> taken(const Bytes& bytes, std::size_t count, Column what, const LaneCode& lanes) {
  ByteReader in(bytes.data(), bytes.size());
  Values values(count);
  if (!take_column(in, static_cast<std::uint32_t>(count), what, values.data(), lanes) || in.left() != 0) return {};
  return values;
}

Bytes put(Values values, Column what, const LaneCode& lanes, const StepFactors* steps = nullptr) {
  Bytes bytes(4096);
  ByteWriter out(bytes.data(), bytes.size());
  const auto memory = std::make_unique<ColumnMemory>();
  memory->divisor = kNoDivisor;
  memory->steps = steps;
  put_wide_column(values.data(), static_cast<std::uint32_t>(values.size()), what, *memory, out, lanes);
  EXPECT_FALSE(out.full());
  bytes.resize(out.size());
  return bytes;
}

std::uint64_t random_of(std::mt19937_64& random, unsigned bits) { return bits == 0 ? 0 : random() >> (64 - bits); }

TEST(ColumnCodec, EveryWidthAndCountIsReadAsTheFormatSays) {
  std::mt19937_64 random(1);
  for (unsigned width = 0; width <= 64; ++width)
    for (std::size_t count = 1; count <= kRecordsPerBlock; ++count) {
      ReferenceColumn column;
      column.width = width;
      column.encoding = width > kMaxLaneBits || random() % 4 == 0 ? 1 : 2;
      column.least = random_of(random, static_cast<unsigned>(random() % 65));
      unsigned widest = 64;
      if (column.encoding == 2 && random() % 2 == 0) column.divisor = 1 + random() % kMaxLaneValue;
      if (column.encoding == 2 && random() % 2 == 0) {
        column.encoding = 3;
        column.divisor = 1;
        column.step = random() & 0xffffffff;
        column.shift = static_cast<unsigned>(1 + random() % 31);
        column.least = random_of(random, static_cast<unsigned>(random() % 32));
        widest = 31;
      }
      const std::uint64_t exceptions = column.encoding != 1 && random() % 2 == 0 ? random() % (count + 1) : 0;
      Values expected;
      for (std::size_t i = 0; i < count; ++i) {
        const bool exception = random() % count < exceptions && column.reduced.size() < 255;
        column.reduced.push_back(random_of(random, exception ? width + random() % (widest + 1 - width) : width));
        expected.push_back(reference_value(column, column.reduced.back()));
      }
      const Bytes bytes = reference_bytes(column);
      for (const LaneCode* lanes : builds())
        ASSERT_EQ(taken(bytes, count, Column::numbers, *lanes), expected) << width << " bits, " << count << " values";
    }
}

TEST(ColumnCodec, AnyNumberOfExceptionsIsRead) {
  for (std::size_t exceptions = 0; exceptions <= 255; ++exceptions) {
    ReferenceColumn column;
    column.width = 5;
    column.divisor = 26;
    for (std::size_t i = 0; i < kRecordsPerBlock; ++i)
      column.reduced.push_back(i % 32 + (i * 101 % 256 < exceptions ? std::uint64_t{32} << i % 59 : 0));
    for (const LaneCode* lanes : builds()) {
      const std::optional<Values> values = taken(reference_bytes(column), kRecordsPerBlock, Column::numbers, *lanes);
      ASSERT_TRUE(values);
      for (std::size_t i = 0; i < kRecordsPerBlock; ++i) ASSERT_EQ((*values)[i], 26 * column.reduced[i]);
    }
  }
}

// Columns as programs make them, and as none does.
Values some_values(std::mt19937_64& random) {
  Values values(1 + random() % kRecordsPerBlock);
  const std::uint64_t step = random() % 2 == 0 ? 1 : 1 + random_of(random, static_cast<unsigned>(random() % 33));
  const auto bits = static_cast<unsigned>(random() % (random() % 2 == 0 ? 65 : 25));
  const std::uint64_t offset = random() % 2 == 0 ? 0 : random_of(random, static_cast<unsigned>(random() % 65));
  const std::uint64_t rare = 1 + random() % 40;
  for (std::uint64_t& value : values) {
    value = offset + step * random_of(random, bits);
    if (random() % rare == 0) value = step * random_of(random, static_cast<unsigned>(random() % 65));
    if (random() % (4 * rare) == 0) value = 0 - value;
  }
  return values;
}

TEST(ColumnCodec, WhatIsWrittenIsWhatTheFormatSays) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 20000; ++round) {
    const Values values = some_values(random);
    const Column what = random() % 2 == 0 ? Column::numbers : Column::differences;
    const std::size_t first = what == Column::differences ? 1 : 0;
    const Bytes bytes = put(values, what, kBaselineLanes);
    for (const LaneCode* lanes : builds()) {
      ASSERT_EQ(put(values, what, *lanes), bytes);
      const std::optional<Values> back = taken(bytes, values.size(), what, *lanes);
      ASSERT_TRUE(back);
      ASSERT_TRUE(std::equal(values.begin() + static_cast<long>(first), values.end(),
                             back->begin() + static_cast<long>(first)));
    }
    ReferenceColumn column = test::reference_header(bytes);
    const Values decoded = *taken(bytes, values.size(), what, kBaselineLanes);  // for the first difference
    for (const std::uint64_t value : decoded) {
      const bool zigzag_coded = column.encoding == 1 && what == Column::differences;
      const std::uint64_t coded = zigzag_coded ? value << 1 ^ (value >> 63 != 0 ? ~std::uint64_t{0} : 0) : value;
      ASSERT_EQ((coded - column.least) % column.divisor, 0u);
      column.reduced.push_back((coded - column.least) / column.divisor);
    }
    ASSERT_EQ(reference_bytes(column), bytes);
  }
}

// Of a counter that stands at the multiples of a step, rounded down, or one tick beside.
Values times_between_steps(std::mt19937_64& random, double step) {
  Values values(1 + random() % kRecordsPerBlock);
  const auto bits = static_cast<unsigned>(1 + random() % 14);
  for (std::uint64_t& value : values) {
    const auto ticks = [&](std::uint64_t steps) {
      return static_cast<std::uint64_t>(static_cast<double>(steps) * step) + random() % 2;
    };
    const std::uint64_t begin = random_of(random, 30);
    value = ticks(begin + 1 + random_of(random, random() % 40 == 0 ? 18 : bits)) - ticks(begin);
  }
  return values;
}

TEST(ColumnCodec, TimesOfAnUnevenClockAreStepsAndARest) {
  std::mt19937_64 random(6);
  int in_steps = 0;
  for (int round = 0; round < 20000; ++round) {
    const double step = round % 2 == 0 ? 26 : 8 + static_cast<double>(random() % 100000) / 1000;
    const StepFactors factors(step);
    const Values values = times_between_steps(random, step);
    const Bytes bytes = put(values, Column::numbers, kBaselineLanes, &factors);
    for (const LaneCode* lanes : builds()) {
      ASSERT_EQ(put(values, Column::numbers, *lanes, &factors), bytes);
      ASSERT_EQ(taken(bytes, values.size(), Column::numbers, *lanes), values);
    }
    ReferenceColumn column = test::reference_header(bytes);
    if (column.encoding != 3) continue;
    ++in_steps;
    for (const std::uint64_t value : values) {
      const double steps = std::round(static_cast<double>(value) / step);
      ReferenceColumn whole = column;
      whole.least = 0;
      const std::uint64_t stepped = 3 * static_cast<std::uint64_t>(steps);
      const std::uint64_t rest = value - reference_value(whole, stepped + 1) + 1;
      ASSERT_LE(rest, 2u);
      column.reduced.push_back(stepped + rest - column.least);
    }
    ASSERT_EQ(reference_bytes(column), bytes);
  }
  EXPECT_GT(in_steps, 10000);
}

TEST(ColumnCodec, StepsTakeFewerBitsThanTicks) {
  std::mt19937_64 random(7);
  Values values(kRecordsPerBlock);
  for (std::uint64_t& value : values) value = 26 * (40 + random() % 64) + random() % 3 - 1;
  const StepFactors factors(26);
  EXPECT_GE(put(values, Column::numbers, best_lanes()).size(), 256u * 11 / 8);        // of 1,664 ticks
  EXPECT_LE(put(values, Column::numbers, best_lanes(), &factors).size(), 256u + 12);  // 3 x 64 fit eight bits
  for (std::uint64_t& value : values) value = 26 * (40 + random() % 64);  // where 26 divides all, six bits are enough
  EXPECT_LE(put(values, Column::numbers, best_lanes(), &factors).size(), 256u * 6 / 8 + 8);
}

TEST(ColumnCodec, StepsOfNoClockAreRefused) {
  ReferenceColumn column;
  column.encoding = 3;
  column.width = 7;
  column.step = 26u << 27;
  for (std::size_t i = 0; i < 100; ++i) column.reduced.push_back(i);
  const auto is_taken = [&] {
    bool all = true, any = false;
    for (const LaneCode* lanes : builds()) {
      const bool here = taken(reference_bytes(column), 100, Column::numbers, *lanes).has_value();
      all = all && here;
      any = any || here;
    }
    EXPECT_EQ(all, any);
    return any;
  };
  for (column.shift = 0; column.shift < 256; ++column.shift)
    EXPECT_EQ(is_taken(), column.shift >= 1 && column.shift <= 31) << column.shift;
  column.shift = 27;
  column.least = 0xffffffff - 99;
  EXPECT_TRUE(is_taken());
  ++column.least;
  EXPECT_FALSE(is_taken());
  const Bytes bytes = reference_bytes(column);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(
        taken(Bytes(bytes.begin(), bytes.begin() + static_cast<long>(length)), 100, Column::numbers, best_lanes()));
}

TEST(ColumnCodec, AFewFarValuesCostTheOthersNothing) {
  std::mt19937_64 random(4);
  Values near(kRecordsPerBlock), far;
  for (std::uint64_t& value : near) value = 26 * (40 + random() % 64);
  far = near;
  far[17] = 26 * (std::uint64_t{1} << 40);
  far[200] = 26 * 70000;
  const std::size_t plain = put(near, Column::numbers, best_lanes()).size();
  EXPECT_LE(plain, 256u * 6 / 8 + 8);
  EXPECT_LE(put(far, Column::numbers, best_lanes()).size(), plain + 12);
  far[100] = 0 - std::uint64_t{26 * 1000};  // a stamp out of order: its distance from the others has no divisor
  EXPECT_LE(put(far, Column::differences, best_lanes()).size(), 256u * 11 / 8 + 40);
}

TEST(ColumnCodec, WhereAllGoBothWaysTheLeastIsNegative) {
  std::mt19937_64 random(5);
  Values values(kRecordsPerBlock);
  for (std::uint64_t& value : values) value = 26 * (random() % 128) - 26 * 64;
  EXPECT_LE(put(values, Column::differences, best_lanes()).size(), 256u * 7 / 8 + 16);
}

TEST(ColumnCodec, ContradictionsAreRefused) {
  ReferenceColumn column;
  column.width = 7;
  for (std::size_t i = 0; i < 100; ++i) column.reduced.push_back(i == 50 || i == 60 ? 1000 : i);
  const Bytes good = reference_bytes(column);
  const auto refused = [](Bytes bytes, std::size_t count = 100) {
    for (const LaneCode* lanes : builds())
      if (taken(bytes, count, Column::numbers, *lanes)) return false;
    return true;
  };
  EXPECT_FALSE(refused(good));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_TRUE(refused(Bytes(good.begin(), good.begin() + static_cast<long>(length))));
  const auto with = [&](std::size_t at, unsigned char byte) {
    Bytes bytes = good;
    bytes.at(at) = byte;
    return bytes;
  };
  const std::size_t places = good.size() - 4;           // two places and two rests
  EXPECT_TRUE(refused(with(0, 4)));                     // an encoding that is not there
  EXPECT_TRUE(refused(with(1, 32)));                    // wider than a lane
  EXPECT_TRUE(refused(with(2, 1)));                     // fewer exceptions than there are
  EXPECT_TRUE(refused(with(4, 0)));                     // nothing divides by 0
  EXPECT_EQ(good[places], 32 * 2 + 6);                  // value 50
  EXPECT_EQ(good[places + 1], 32 * 4 + 7);              // value 60
  EXPECT_TRUE(refused(with(places + 1, 70)));           // the same place twice
  EXPECT_TRUE(refused(with(places + 1, 69)));           // a place before the last
  EXPECT_TRUE(refused(with(places + 1, 32 * 4 + 12)));  // value 100: beyond the last
  EXPECT_TRUE(refused(with(places + 1, 32 * 5 + 31)));  // a row beyond the last
  Bytes far = good;                                     // a rest that does not fit 64 bits beside the 7
  far.pop_back();
  test::put_varint(far, std::uint64_t{1} << 57);
  EXPECT_TRUE(refused(far));
  far.resize(good.size() - 1);
  test::put_varint(far, (std::uint64_t{1} << 57) - 1);
  EXPECT_FALSE(refused(far));
}

TEST(ColumnCodec, IdsAndKindsAreHeldToTheirRange) {
  const auto verdicts = [](unsigned width, std::uint64_t least, std::uint64_t value, std::uint64_t divisor = 1) {
    ReferenceColumn column;
    column.width = width;
    column.least = least;
    column.divisor = divisor;
    column.reduced = {value, value, 0};
    const Bytes bytes = reference_bytes(column);
    int ids_taken = 0, kinds_taken = 0;
    for (const LaneCode* lanes : builds()) {
      std::uint64_t room[3];
      std::uint16_t ids[3];
      RecordKind kinds[3];
      ByteReader in(bytes.data(), bytes.size()), again(bytes.data(), bytes.size());
      if (take_ids(in, 3, room, ids, *lanes)) {
        ++ids_taken;
        EXPECT_EQ(ids[1], least + value);
        EXPECT_EQ(ids[2], least);
      }
      if (take_kinds(again, 3, room, kinds, *lanes)) {
        ++kinds_taken;
        EXPECT_EQ(static_cast<std::uint64_t>(kinds[0]), least + value);
      }
    }
    const auto all = static_cast<int>(builds().size());
    EXPECT_TRUE(ids_taken == 0 || ids_taken == all);
    EXPECT_TRUE(kinds_taken == 0 || kinds_taken == all);
    return std::pair(ids_taken == all, kinds_taken == all);
  };
  using Taken = std::pair<bool, bool>;
  EXPECT_EQ(verdicts(7, 1, 0x7e), Taken(true, true));
  EXPECT_EQ(verdicts(7, 1, 0x7f), Taken(true, false));
  EXPECT_EQ(verdicts(7, 0, 0x7f), Taken(false, true));  // no scope has the id 0
  EXPECT_EQ(verdicts(16, 1, 65534), Taken(true, false));
  EXPECT_EQ(verdicts(16, 2, 65534), Taken(false, false));
  EXPECT_EQ(verdicts(0, 65535, 0), Taken(true, false));
  EXPECT_EQ(verdicts(0, 65536, 0), Taken(false, false));
  EXPECT_EQ(verdicts(17, 1, 5), Taken(false, false));
  EXPECT_EQ(verdicts(3, 1, 5, 2), Taken(false, false));
  EXPECT_EQ(verdicts(2, 1, 5), Taken(false, false));  // an exception
}

}  // namespace
}  // namespace tl::dump
