// A test that holds code to make no allocation. Run it under the library (tlrun -- no_allocation_test): there the first
// test passes and the second fails. Without the library both fail, since nobody counted.
#include <gtest/gtest.h>

#include <telemetry/telemetry.hpp>
#include <vector>

namespace {

void fail(const char* what) { ADD_FAILURE() << what; }

TEST(Orders, FillsWhatWasReserved) {
  std::vector<int> orders;
  orders.reserve(100);
  telemetry::NoAllocation guard(fail);
  for (int i = 0; i < 100; ++i) orders.push_back(i);
}

TEST(Orders, GrowsWithoutReserving) {
  std::vector<int> orders;
  telemetry::NoAllocation guard(fail);
  for (int i = 0; i < 100; ++i) orders.push_back(i);
}

}  // namespace
