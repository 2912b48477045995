// A table of text for a terminal of any width.
//
// Times: those that span from nanoseconds to seconds (percentiles, extremes) have their unit in the cell
// (analyze::time_words); those that are compared and added down a column or across (total and self, start and end)
// share one unit, which stands in the head (SharedUnit).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/words.h"

namespace tl::render {

struct Style {
  unsigned columns = 0;  // of the terminal; 0: not a terminal, lines are as long as they must be
  bool color = false;
};

class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)), kind_(head_.size(), Kind::number) {}

  // Aligned to the left and never shortened.
  Table& left(std::size_t column) { return set(column, Kind::whole); }
  // A name that may be shortened in its middle.
  Table& name(std::size_t column) { return set(column, Kind::name); }
  // A name and a number, "worker-thread #2": the number stays.
  Table& numbered_name(std::size_t column) { return set(column, Kind::numbered); }
  // May be left out where the terminal is too narrow: the one named first goes first.
  Table& optional(std::size_t column) {
    optional_.push_back(column);
    return *this;
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }

  // Where the terminal is too narrow, first very long names are shortened, then optional columns are left out (a line
  // below says which), then names are shortened as far as they tell anything. Numbers are never cut.
  std::string print(const Style& style) const;

 private:
  enum class Kind { number, whole, name, numbered };
  struct Layout;
  Table& set(std::size_t column, Kind kind) {
    kind_[column] = kind;
    return *this;
  }
  Layout lay_out(unsigned columns) const;

  std::vector<std::string> head_;
  std::vector<Kind> kind_;
  std::vector<std::size_t> optional_;
  std::vector<std::vector<std::string>> rows_;
};

// The largest unit in which the smallest of the times is no fraction of many zeros, but for the longest's sake.
class SharedUnit {
 public:
  explicit SharedUnit(analyze::TimeUnit of) : of_(of) {}
  void add(std::optional<double> time);
  // "total ms", or only "total" where no time is.
  std::string head(const std::string& name) const;
  // Three significant digits or more; "-" where there is none.
  std::string cell(std::optional<double> time) const;

 private:
  double scale() const;
  analyze::TimeUnit of_;
  double least_ = 0, most_ = 0;  // of those above 0
  bool any_ = false;
};

std::string heading(const std::string& text, const Style& style);
// Wrapped at words to the terminal; following lines are set in by `indent`.
std::string wrapped(const std::string& text, const Style& style, unsigned indent = 0);

}  // namespace tl::render
