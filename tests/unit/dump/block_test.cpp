#include "dump/block.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tl::dump {
namespace {

TEST(Block, ComesBackWhole) {
  std::vector<unsigned char> buffer(4096);
  BlockWriter writer(buffer.data(), buffer.size());
  writer.begin(BlockType::names, 7, 3, 99).raw("payload", 7);
  ASSERT_TRUE(writer.end());
  writer.begin(BlockType::end, kNoThread, 0, 100);
  ASSERT_TRUE(writer.end());
  ASSERT_EQ(writer.size(), 2 * sizeof(BlockHeader) + 7);

  BlockView view;
  ASSERT_EQ(read_block(buffer.data(), writer.size(), view), BlockStatus::whole);
  EXPECT_EQ(view.header.type, static_cast<std::uint16_t>(BlockType::names));
  EXPECT_EQ(view.header.thread, 7u);
  EXPECT_EQ(view.header.count, 3u);
  EXPECT_EQ(view.header.first_ticks, 99u);
  EXPECT_EQ(std::memcmp(view.payload, "payload", 7), 0);
  ASSERT_EQ(read_block(buffer.data() + view.bytes, writer.size() - view.bytes, view), BlockStatus::whole);
  EXPECT_EQ(view.header.payload_bytes, 0u);
}

TEST(Block, EveryFlippedBitIsSeen) {
  std::vector<unsigned char> buffer(256);
  BlockWriter writer(buffer.data(), buffer.size());
  writer.begin(BlockType::warning, 1, 2, 3).raw("some payload", 12);
  ASSERT_TRUE(writer.end());
  for (std::size_t bit = 0; bit < writer.size() * 8; ++bit) {
    std::vector<unsigned char> damaged(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(writer.size()));
    damaged[bit / 8] = static_cast<unsigned char>(damaged[bit / 8] ^ (1u << bit % 8));
    BlockView view;
    EXPECT_NE(read_block(damaged.data(), damaged.size(), view), BlockStatus::whole) << "bit " << bit;
  }
}

TEST(Block, EveryCutIsACut) {
  std::vector<unsigned char> buffer(256);
  BlockWriter writer(buffer.data(), buffer.size());
  writer.begin(BlockType::warning, 1, 2, 3).raw("some payload", 12);
  ASSERT_TRUE(writer.end());
  for (std::size_t size = 0; size < writer.size(); ++size) {
    const std::vector<unsigned char> cut(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size));
    BlockView view;
    EXPECT_EQ(read_block(cut.data(), cut.size(), view), BlockStatus::cut) << size;
  }
}

TEST(Block, WhatDoesNotFitIsTakenBack) {
  unsigned char buffer[100];
  BlockWriter writer(buffer, sizeof buffer);
  writer.begin(BlockType::names, 0, 0, 0).raw("12345678", 8);
  ASSERT_TRUE(writer.end());
  const std::size_t before = writer.size();
  const std::vector<unsigned char> big(50);
  writer.begin(BlockType::names, 0, 0, 0).raw(big.data(), big.size());
  EXPECT_FALSE(writer.end());
  EXPECT_EQ(writer.size(), before);
}

}  // namespace
}  // namespace tl::dump
