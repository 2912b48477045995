// The report of a dump made by hand, and its rows by name.
#pragma once

#include <gtest/gtest.h>

#include "../../dump/dump_builder.h"
#include "analyze/summary.h"

namespace tl::analyze {

inline Report report_of(const test::DumpBuilder& dump, const Filter& filter = {}, View view = View::raw) {
  const test::TemporaryFile file(dump.bytes());
  read::Dump opened;
  EXPECT_EQ(opened.open(file.path()), "");
  return summarize(opened, filter, {}, view);
}

template <class Row>
const Row* find(const std::vector<Row>& rows, const std::string& name,
                std::optional<std::uint32_t> thread = std::nullopt) {
  for (const Row& row : rows)
    if (row.name == name && row.thread == thread) return &row;
  return nullptr;
}
inline const ScopeRow* find(const Report& report, const std::string& name,
                            std::optional<std::uint32_t> thread = std::nullopt) {
  return find(report.scopes, name, thread);
}

}  // namespace tl::analyze
