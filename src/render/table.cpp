#include "render/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/text_escape.h"

namespace tl::render {

namespace {

constexpr std::size_t kGap = 2;         // spaces between columns
constexpr std::size_t kFairName = 24;   // a longer name is shortened before a column is left out for it
constexpr std::size_t kLeastName = 12;  // a name so short still tells something
constexpr std::size_t kShortest = 8;    // the last resort: first letter, dots, number
constexpr char kDots[] = "...";

// The first or last `columns` of a text.
std::string head_of(const std::string& text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t seen = 0; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && seen++ == columns) break;
  return text.substr(0, at);
}
std::string tail_of(const std::string& text, std::size_t columns) {
  const std::size_t all = columns_of(text);
  return columns >= all ? text : text.substr(head_of(text, all - columns).size());
}

std::string shortened(const std::string& text, std::size_t columns, bool keep_number) {
  if (columns_of(text) <= columns) return text;
  const std::size_t room = columns - std::min(columns, sizeof kDots - 1);
  const std::size_t number = text.rfind(" #");
  if (!keep_number || number == std::string::npos) {
    const std::size_t front = room - room * 2 / 5;
    return head_of(text, front) + kDots + tail_of(text, room - front);
  }
  const std::string kept = text.substr(number);
  return head_of(text.substr(0, number), room - std::min(room, columns_of(kept))) + kDots + kept;
}

}  // namespace

struct Table::Layout {
  std::vector<std::size_t> width;
  std::vector<bool> hidden;
  std::string left_out;
};

Table::Layout Table::lay_out(unsigned columns) const {
  Layout out{std::vector<std::size_t>(head_.size()), std::vector<bool>(head_.size()), {}};
  for (std::size_t c = 0; c < head_.size(); ++c) {
    out.width[c] = columns_of(head_[c]);
    for (const auto& row : rows_) out.width[c] = std::max(out.width[c], columns_of(row[c]));
  }
  if (columns == 0) return out;
  const std::vector<std::size_t> full = out.width;
  const auto used = [&] {
    std::size_t total = 0;
    for (std::size_t c = 0; c < head_.size(); ++c)
      if (!out.hidden[c]) total += out.width[c] + (total > 0 ? kGap : 0);
    return total;
  };
  const auto is_name = [&](std::size_t c) { return kind_[c] == Kind::name || kind_[c] == Kind::numbered; };
  const auto shorten_names = [&](std::size_t least) {
    while (used() > columns) {
      std::size_t widest = head_.size();
      for (std::size_t c = 0; c < head_.size(); ++c)
        if (is_name(c) && out.width[c] > least && (widest == head_.size() || out.width[c] > out.width[widest]))
          widest = c;
      if (widest == head_.size()) return;
      out.width[widest] -= std::min(used() - columns, out.width[widest] - least);
    }
  };
  shorten_names(kFairName);
  for (const std::size_t c : optional_) {
    if (used() <= columns) break;
    out.hidden[c] = true;
  }
  for (auto c = optional_.rbegin(); c != optional_.rend(); ++c) {  // a wide one may have made room for others
    if (!out.hidden[*c]) continue;
    out.hidden[*c] = false;
    if (used() > columns) out.hidden[*c] = true;
  }
  for (std::size_t c = 0; c < head_.size(); ++c)
    if (out.hidden[c]) out.left_out += (out.left_out.empty() ? "" : ", ") + head_[c];
  shorten_names(kLeastName);
  shorten_names(kShortest);
  for (std::size_t c = 0; c < head_.size() && used() < columns; ++c)  // what a column left out has made free
    if (!out.hidden[c]) out.width[c] += std::min(full[c] - out.width[c], columns - used());
  return out;
}

std::string Table::print(const Style& style) const {
  const Layout layout = lay_out(style.columns);
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (layout.hidden[c]) continue;
      if (c > 0) text.append(kGap, ' ');
      const std::string cell = shortened(cells[c], layout.width[c], kind_[c] == Kind::numbered);
      const std::string pad(layout.width[c] - std::min(layout.width[c], columns_of(cell)), ' ');
      text += kind_[c] == Kind::number ? pad + cell : cell + pad;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  };
  std::string out = style.color ? "\x1b[2m" + line(head_) + "\x1b[0m\n" : line(head_) + "\n";
  for (const auto& row : rows_) out += line(row) + "\n";
  if (!layout.left_out.empty()) out += wrapped("Left out for want of width: " + layout.left_out, style, 2);
  return out;
}

void SharedUnit::add(std::optional<double> time) {
  if (!time) return;
  any_ = true;
  if (!(*time > 0)) return;
  least_ = least_ == 0 ? *time : std::min(least_, *time);
  most_ = std::max(most_, *time);
}

double SharedUnit::scale() const {
  if (of_ == analyze::TimeUnit::ticks) return 1;
  constexpr double kLeastShown = 0.1, kMostShown = 1e6;
  double scale = 1e9;
  while (scale > 1 && (most_ < scale || (least_ < kLeastShown * scale && most_ < kMostShown * scale / 1e3)))
    scale /= 1e3;
  return scale;
}

std::string SharedUnit::head(const std::string& name) const {
  if (!any_) return name;
  const double s = scale();
  if (of_ == analyze::TimeUnit::ticks) return name + " ticks";
  return name + (s == 1 ? " ns" : s == 1e3 ? " us" : s == 1e6 ? " ms" : " s");
}

std::string SharedUnit::cell(std::optional<double> time) const {
  if (!time) return "-";
  const double value = *time / scale();
  if (of_ == analyze::TimeUnit::ticks || std::fabs(value) >= 99.95 || value == 0)
    return (value < -0.5 ? "-" : "") + analyze::count_words(static_cast<std::uint64_t>(std::llround(std::fabs(value))));
  const double size = std::fabs(value);
  const int decimals = size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : size >= 0.009995 ? 4 : 5;
  return fmt::format("{:.{}f}", value, scale() == 1 ? 1 : decimals);  // of ns the tenth is recorded
}

std::string heading(const std::string& text, const Style& style) {
  const std::string lines = wrapped(text, style, 2);
  return style.color ? "\x1b[1m" + lines.substr(0, lines.size() - 1) + "\x1b[0m\n" : lines;
}

std::string wrapped(const std::string& text, const Style& style, unsigned indent) {
  if (style.columns == 0) return text + "\n";
  std::string out, line;
  std::size_t used = 0;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (text.compare(end, 2, " %") == 0) end = std::min(text.find(' ', end + 1), text.size());  // "12 %" is one word
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
