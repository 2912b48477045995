#include "base/bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tl {
namespace {

TEST(Bytes, WhatIsWrittenIsRead) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values = {0, 1, 127, 128, 16383, 16384, UINT64_MAX};
  for (int i = 0; i < 1000; ++i) values.push_back(random() >> random() % 64);
  std::vector<unsigned char> buffer(32768);
  ByteWriter out(buffer.data(), buffer.size());
  for (const std::uint64_t value : values) out.varint(value);
  out.text("name");
  out.fixed(std::int32_t{-5});
  ASSERT_FALSE(out.full());

  ByteReader in(buffer.data(), out.size());
  for (const std::uint64_t value : values) EXPECT_EQ(in.varint(), value);
  std::size_t n;
  const char* text = in.text(n);
  EXPECT_EQ(std::string(text, n), "name");
  EXPECT_EQ(in.fixed<std::int32_t>(), -5);
  EXPECT_EQ(in.left(), 0u);
  EXPECT_FALSE(in.failed());
}

TEST(Bytes, AWriterThatIsFullWritesNothingBeyondItsEnd) {
  unsigned char buffer[8] = {0, 0, 0, 0, 9, 9, 9, 9};
  ByteWriter out(buffer, 4);
  out.fixed(std::uint32_t{7});
  EXPECT_FALSE(out.full());
  out.fixed(std::uint8_t{1});
  EXPECT_TRUE(out.full());
  EXPECT_EQ(buffer[4], 9);
}

TEST(Bytes, AReaderStopsAtTheEndAndAtWrongVarints) {
  const unsigned char cut[] = {0x80, 0x80};
  ByteReader a(cut, sizeof cut);
  a.varint();
  EXPECT_TRUE(a.failed());

  const unsigned char too_long[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
  ByteReader b(too_long, sizeof too_long);
  b.varint();
  EXPECT_TRUE(b.failed());

  const unsigned char text_beyond[] = {0xff, 0xff, 'x'};
  ByteReader c(text_beyond, sizeof text_beyond);
  std::size_t n = 1;
  EXPECT_EQ(c.text(n), nullptr);
  EXPECT_EQ(n, 0u);
  EXPECT_TRUE(c.failed());
}

}  // namespace
}  // namespace tl
