#include "recording.h"

#include <map>
#include <set>
#include <string>
#include <thread>

namespace tl::record {
namespace {

using Registry = Recording;

TEST_F(Registry, SameTextSameIdAndNoCutNames) {
  EXPECT_EQ(register_scope(nullptr), 0u);
  EXPECT_EQ(register_scope(""), 0u);
  EXPECT_EQ(register_scope(std::string(256, 'x').c_str()), 0u);
  const std::uint32_t longest = register_scope(std::string(255, 'x').c_str());
  EXPECT_NE(longest, 0u);
  EXPECT_EQ(register_scope(std::string(255, 'x').c_str()), longest);
  EXPECT_NE(register_scope(std::string(254, 'x').c_str()), longest);
  EXPECT_NE(register_scope("\xff\xfe"), register_scope("\xff\xfd"));
}

TEST_F(Registry, ManyThreadsAgree) {
  std::vector<std::vector<std::uint32_t>> ids(4, std::vector<std::uint32_t>(2000));
  std::vector<std::thread> threads;
  for (auto& mine : ids)
    threads.emplace_back([&mine] {
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = register_scope(("scope " + std::to_string(i)).c_str());
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : ids) EXPECT_EQ(other, ids[0]);
  EXPECT_EQ(std::set<std::uint32_t>(ids[0].begin(), ids[0].end()).size(), ids[0].size());
}

TEST_F(Registry, NamesReachTheDumpInOrder) {
  const std::uint32_t id = register_scope("the last one");
  class Names {
   public:
    static shm::Wrote take(void* self, const void* bytes, std::size_t size, shm::Weight) {
      dump::BlockView block;
      for (const auto* at = static_cast<const unsigned char*>(bytes); size > 0;
           at += block.bytes, size -= block.bytes) {
        if (dump::read_block(at, size, block) != dump::BlockStatus::whole) return shm::Wrote::failed;
        ByteReader in(block.payload, block.header.payload_bytes);
        for (std::uint32_t i = 0; i < block.header.count; ++i) {
          const auto name_id = in.fixed<std::uint16_t>();
          const auto length = in.fixed<std::uint8_t>();
          static_cast<Names*>(self)->names[name_id] =
              std::string(reinterpret_cast<const char*>(in.raw(length)), length);
        }
      }
      return shm::Wrote::all;
    }
    std::map<std::uint32_t, std::string> names;
  } names;
  collector->open(view(), {Names::take, &names});
  ASSERT_TRUE(collector->put_new_names() && collector->flush());
  EXPECT_EQ(names.names.size(), id);
  EXPECT_EQ(names.names[id], "the last one");
  names.names.clear();
  ASSERT_TRUE(collector->put_new_names() && collector->flush());
  EXPECT_TRUE(names.names.empty());
}

}  // namespace
}  // namespace tl::record
