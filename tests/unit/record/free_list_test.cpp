#include "record/free_list.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace tl::record {
namespace {

TEST(FreeList, ANumberIsNeverInTwoHands) {
  constexpr std::uint32_t kNumbers = 8;
  auto list = std::make_unique<FreeList<kNumbers>>();
  std::vector<std::atomic<int>> holders(kNumbers);
  for (std::uint32_t i = 0; i < kNumbers; ++i) list->push(i);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50000; ++i) {
        std::uint32_t number;
        if (!list->pop(number)) continue;
        if (holders[number].fetch_add(1) != 0) wrong.fetch_add(1);
        holders[number].fetch_sub(1);
        list->push(number);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  std::uint32_t number, left = 0;
  while (list->pop(number)) ++left;
  EXPECT_EQ(left, kNumbers);
}

}  // namespace
}  // namespace tl::record
