// libFuzzer: any bytes as a dump, through the whole of the reader. The first byte says how: 1 the checksums of blocks
// are made right, so that what they protect is reached too; 2 the file stands twice, as two parts of one dump do.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "analyze/check.h"
#include "analyze/summary.h"
#include "render/check.h"
#include "render/summary.h"

namespace {

void make_checksums_right(std::vector<unsigned char>& file) {
  using tl::dump::BlockHeader;
  for (std::size_t at = sizeof(tl::dump::FileHeader); at + sizeof(BlockHeader) <= file.size();) {
    BlockHeader header;
    std::memcpy(&header, file.data() + at, sizeof header);
    if (header.payload_bytes > file.size() - at - sizeof header) return;
    header.magic = tl::dump::kBlockMagic;
    header.checksum = tl::dump::checksum_of(header, file.data() + at + sizeof header);
    std::memcpy(file.data() + at, &header, sizeof header);
    at += sizeof header + header.payload_bytes;
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

void show(const tl::analyze::Report& report) {
  require(!tl::render::summary_text(report, {}, {80, true}).empty());
  require(!tl::render::summary_json({report}, nullptr, {}).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 1) return 0;
  const unsigned how = data[0];
  std::vector<unsigned char> file(data + 1, data + size);
  if ((how & 1) != 0) make_checksums_right(file);
  std::vector<tl::read::Source> files;
  for (unsigned i = 0; i <= (how >> 1 & 1); ++i) files.emplace_back(file);
  tl::read::Dump dump;
  if (!dump.open("fuzz", std::move(files)).empty()) return 0;
  const tl::analyze::Report report = tl::analyze::summarize(dump, {});
  std::uint64_t in_rows = 0;
  for (const auto& [serial, thread] : dump.facts().threads) in_rows += thread.records;
  require(in_rows == dump.facts().records);
  show(report);
  show(tl::analyze::summarize(dump, {}, {}, tl::analyze::View::corrected));
  show(tl::analyze::merge({report, report}));
  const tl::analyze::Check check = tl::analyze::check(dump);
  require(!tl::render::check_text(check, {}).empty() && !tl::render::check_json({check}).empty());
  return 0;
}
