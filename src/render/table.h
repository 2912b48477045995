// A table of text for a terminal of any width: columns aligned, times in one unit a column.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tl::render {

struct Style {
  unsigned columns = 0;  // of the terminal; 0: not a terminal, lines are as long as they must be
  bool color = false;
};

class Table {
 public:
  enum class Align { left, right };

  explicit Table(std::vector<std::string> head) : head_(std::move(head)), align_(head_.size(), Align::right) {}

  Table& left(std::size_t column) {
    align_[column] = Align::left;
    return *this;
  }
  // May be left out where the terminal is too narrow: the one named first goes first.
  Table& optional(std::size_t column) {
    optional_.push_back(column);
    return *this;
  }
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }

  // Where the terminal is too narrow, optional columns are left out (a line below says which), then left columns are
  // cut with "...", first the widest.
  std::string print(const Style& style) const;

 private:
  std::vector<std::string> head_;
  std::vector<Align> align_;
  std::vector<std::size_t> optional_;
  std::vector<std::vector<std::string>> rows_;
};

// Times of one column in one unit, chosen by the median so that neither 0.001 nor 1,000,000 fills it.
class TimeColumn {
 public:
  void add(std::optional<double> ns) { values_.push_back(ns); }
  const char* unit() const;
  // The i-th in that unit, three significant digits; "-" where there is none.
  std::string cell(std::size_t i) const;

 private:
  double scale() const;
  std::vector<std::optional<double>> values_;
};

std::string heading(const std::string& text, const Style& style);
// Wrapped at words to the terminal; following lines are set in by `indent`.
std::string wrapped(const std::string& text, const Style& style, unsigned indent = 0);

}  // namespace tl::render
