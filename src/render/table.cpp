#include "render/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/text_escape.h"

namespace tl::render {

namespace {

constexpr std::size_t kGap = 2;         // spaces between columns
constexpr std::size_t kLeastLeft = 12;  // a cut name still tells something

std::string cut_to(const std::string& text, std::size_t columns) {
  if (columns_of(text) <= columns) return text;
  std::size_t seen = 0, at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) continue;
    if (seen++ == columns - 3) break;
  }
  return text.substr(0, at) + "...";
}

}  // namespace

std::string Table::print(const Style& style) const {
  std::vector<std::size_t> width(head_.size());
  for (std::size_t c = 0; c < head_.size(); ++c) {
    width[c] = columns_of(head_[c]);
    for (const auto& row : rows_) width[c] = std::max(width[c], columns_of(row[c]));
  }
  std::vector<bool> hidden(head_.size());
  const auto too_wide = [&] {
    std::size_t total = 0;
    for (std::size_t c = 0; c < head_.size(); ++c)
      if (!hidden[c]) total += width[c] + (total > 0 ? kGap : 0);
    return style.columns > 0 && total > style.columns ? total - style.columns : 0;
  };
  std::string left_out;
  for (const std::size_t c : optional_) {
    if (too_wide() == 0) break;
    hidden[c] = true;
    if (!left_out.empty()) left_out += ", ";
    left_out += head_[c];
  }
  while (const std::size_t excess = too_wide()) {
    std::size_t widest = head_.size();
    for (std::size_t c = 0; c < head_.size(); ++c)
      if (align_[c] == Align::left && width[c] > kLeastLeft && (widest == head_.size() || width[c] > width[widest]))
        widest = c;
    if (widest == head_.size()) break;
    width[widest] -= std::min(excess, width[widest] - kLeastLeft);
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (hidden[c]) continue;
      if (c > 0) text.append(kGap, ' ');
      const std::string cell = cut_to(cells[c], width[c]);
      const std::size_t pad = width[c] - std::min(width[c], columns_of(cell));
      text += align_[c] == Align::right ? std::string(pad, ' ') + cell : cell + std::string(pad, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  out += style.color ? std::string("\x1b[2m") + line(head_) + "\x1b[0m\n" : line(head_) + "\n";
  for (const auto& row : rows_) out += line(row) + "\n";
  if (!left_out.empty()) out += wrapped(std::string("Left out for want of width: ") + left_out, style, 2);
  return out;
}

double TimeColumn::scale() const {
  std::vector<double> present;
  for (const auto& value : values_)
    if (value && *value > 0) present.push_back(*value);
  if (present.empty()) return 1;
  std::nth_element(present.begin(), present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2), present.end());
  const double median = present[present.size() / 2];
  return median < 10e3 ? 1 : median < 10e6 ? 1e3 : median < 10e9 ? 1e6 : 1e9;
}

const char* TimeColumn::unit() const {
  const double s = scale();
  return s == 1 ? "ns" : s == 1e3 ? "us" : s == 1e6 ? "ms" : "s";
}

std::string TimeColumn::cell(std::size_t i) const {
  if (!values_[i]) return "-";
  const double value = *values_[i] / scale();
  // Decimals only to three significant digits, and in ns only the tenth that is recorded.
  const int decimals = scale() == 1 ? (value < 99.95 ? 1 : 0) : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string heading(const std::string& text, const Style& style) {
  return style.color ? std::string("\x1b[1m") + text + "\x1b[0m\n" : text + "\n";
}

std::string wrapped(const std::string& text, const Style& style, unsigned indent) {
  if (style.columns == 0) return text + "\n";
  std::string out, line;
  std::size_t used = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t columns = columns_of(word);
    if (used > indent && used + 1 + columns > style.columns) {
      out += line + "\n";
      line = std::string(indent, ' ') + word;
      used = indent + columns;
    } else {
      const bool first = at == 0;
      line += std::string(first ? "" : " ") + word;
      used += (first ? 0 : 1) + columns;
    }
    at = end + 1;
  }
  return out + line + "\n";
}

}  // namespace tl::render
