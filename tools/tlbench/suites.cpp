#include "tlbench/cases.h"

namespace tl::tlbench {

namespace {

template <class List>
auto find_by_name(const List& list, std::string_view name) -> decltype(list.data()) {
  for (const auto& each : list)
    if (each.name == name) return &each;
  return nullptr;
}

}  // namespace

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {scope_suite(), malloc_suite(), drain_suite()};
  return all;
}

const Suite* find_suite(std::string_view name) { return find_by_name(suites(), name); }
const Case* find_case(const Suite& suite, std::string_view name) { return find_by_name(suite.cases, name); }

}  // namespace tl::tlbench
