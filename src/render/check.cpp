#include "render/check.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/words.h"
#include "render/text_escape.h"

namespace tl::render {

using analyze::count_words;
using analyze::counted;

std::string check_text(const analyze::Check& check, const Style& style) {
  std::string out =
      wrapped(fmt::format("{}: {}", visible(check.file.path), check.whole ? "whole" : "not whole"), style, 2);
  for (const std::string& text : check.missing) out += wrapped(std::string("Missing: ") + visible(text), style, 2);
  out += wrapped(fmt::format("Dump of {}, format {}, {} bytes: {} ({}), {}, {}, {}",
                             check.program.empty() ? "an unknown program" : visible(check.program), check.version,
                             count_words(check.file.bytes), counted(check.records, "record"),
                             counted(check.scopes, "finished scope or span", "finished scopes and spans"),
                             counted(check.threads, "thread"), counted(check.names, "scope name"),
                             counted(check.anchors, "clock anchor")),
                 style, 2);
  if (check.bytes_per_record) out += fmt::format("{:.1f} bytes a record\n", *check.bytes_per_record);
  if (check.duplicates > 0)
    out += counted(check.duplicates, "record stands twice in the file and counts",
                   "records stand twice in the file and count") +
           " once\n";

  Table table({"block", "blocks", "bytes", "records"});
  table.left(0);
  for (const analyze::BlockRow& row : check.blocks)
    table.row({row.name == "unknown" ? fmt::format("unknown type {}", row.type) : row.name, count_words(row.blocks),
               count_words(row.bytes), count_words(row.records)});
  out += std::string("\n") + table.print(style) + "\n";
  for (const analyze::Rule& rule : check.rules)
    out += wrapped(fmt::format("{} {}{}",
                               !rule.holds   ? "cannot tell:"
                               : *rule.holds ? "holds:"
                                             : "FAILS:",
                               rule.text, rule.detail.empty() ? "" : "; " + visible(rule.detail)),
                   style, 7);
  return out;
}

std::string check_json(const std::vector<analyze::Check>& checks) {
  using Json = nlohmann::ordered_json;
  Json each = Json::array();
  for (const analyze::Check& check : checks) {
    Json blocks = Json::array(), rules = Json::array(), missing = Json::array();
    for (const analyze::BlockRow& row : check.blocks)
      blocks.push_back({{"type", row.type},
                        {"name", row.name},
                        {"blocks", row.blocks},
                        {"bytes", row.bytes},
                        {"records", row.records}});
    for (const analyze::Rule& rule : check.rules)
      rules.push_back({{"rule", rule.text},
                       {"holds", rule.holds ? Json(*rule.holds) : Json(nullptr)},
                       {"detail", rule.detail.empty() ? Json(nullptr) : Json(utf8(rule.detail))}});
    for (const std::string& text : check.missing) missing.push_back(utf8(text));
    each.push_back({{"schema", 1},
                    {"file",
                     {{"path", utf8(check.file.path)},
                      {"complete", check.file.complete},
                      {"bytes", check.file.bytes},
                      {"recovered_records", check.file.records}}},
                    {"program", utf8(check.program)},
                    {"version", check.version},
                    {"whole", check.whole},
                    {"records", check.records},
                    {"scopes", check.scopes},
                    {"duplicates", check.duplicates},
                    {"threads", check.threads},
                    {"names", check.names},
                    {"anchors", check.anchors},
                    {"bytes_per_record",
                     check.bytes_per_record ? Json(std::round(*check.bytes_per_record * 100) / 100) : Json(nullptr)},
                    {"blocks", blocks},
                    {"rules", rules},
                    {"missing", missing}});
  }
  const Json out = each.size() == 1 ? each[0] : Json{{"schema", 1}, {"reports", each}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tl::render
