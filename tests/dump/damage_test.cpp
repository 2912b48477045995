// C6 and C17: cuts, noise and flipped bits. What is whole is reported, what is not is said, nothing hangs or crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "analyze/check.h"
#include "analyze/summary.h"
#include "good_dump.h"
#include "render/check.h"
#include "render/summary.h"

namespace tl::test {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  std::string failure;
  analyze::Report report;
  analyze::Check check;
};

// What any file may cost, however it is damaged. A sanitizer's own memory and time are no part of it.
constexpr double kMostSeconds = 2;
constexpr long kMostKib = 512 << 10;
constexpr bool kLimited =
#ifdef TL_SANITIZED
    false;
#else
    true;
#endif

long resident_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

Outcome read_all(const std::string& path) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome out;
  read::Dump dump;
  out.failure = dump.open(path);
  if (!out.failure.empty()) return out;
  out.report = analyze::summarize(dump, {});
  EXPECT_FALSE(render::summary_text(analyze::summarize(dump, {}, {}, analyze::View::corrected), {}, {}).empty());
  out.check = analyze::check(dump);
  // Whatever the numbers are, they can be shown.
  EXPECT_FALSE(render::summary_text(out.report, {}, {80, true}).empty());
  EXPECT_FALSE(render::summary_json({out.report}, nullptr, {}).empty());
  EXPECT_FALSE(render::check_text(out.check, {}).empty());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (kLimited) {
    EXPECT_LE(took.count(), kMostSeconds);
    EXPECT_LE(resident_kib(), kMostKib);
  }
  return out;
}

std::uint64_t finished_scopes(const analyze::Report& report) {
  std::uint64_t sum = 0;
  for (const analyze::ScopeRow& row : report.scopes)
    if (!row.thread) sum += row.latency.count();
  return sum;
}

void expect_cut_is_told(const std::string& good, const std::vector<Piece>& pieces, TemporaryFile& file,
                        std::size_t cut) {
  file.write(good.substr(0, cut));
  const Outcome outcome = read_all(file.path());
  std::size_t whole = 0, blocks = 0;
  bool on_border = false;
  for (const Piece& piece : pieces) {
    if (piece.end > cut) break;
    whole += piece.records;
    ++blocks;
    on_border = piece.end == cut;
  }
  if (blocks == 0) {
    ASSERT_FALSE(outcome.failure.empty()) << "cut at " << cut;
    return;
  }
  ASSERT_EQ(outcome.failure, "") << "cut at " << cut;
  ASSERT_EQ(outcome.report.file.records, whole) << "cut at " << cut;
  ASSERT_EQ(finished_scopes(outcome.report), whole) << "cut at " << cut;
  ASSERT_FALSE(outcome.report.partial.empty()) << "cut at " << cut;
  ASSERT_FALSE(outcome.report.file.complete);
  ASSERT_FALSE(outcome.check.whole);
  const std::string expected = on_border ? "not closed" : "cut after " + analyze::count_words(whole) + " record";
  ASSERT_THAT(outcome.report.partial.front(), HasSubstr(expected)) << "cut at " << cut;
}

TEST(Damage, TheGoodDumpIsWhole) {
  const TemporaryFile file(good_dump());
  const Outcome outcome = read_all(file.path());
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.report.partial, ::testing::IsEmpty());
  EXPECT_TRUE(outcome.report.file.complete);
  EXPECT_TRUE(outcome.check.whole) << ::testing::PrintToString(outcome.check.missing);
  EXPECT_EQ(finished_scopes(outcome.report), 10000u);
}

TEST(Damage, CutAtEachOfTheFirstBytes) {
  const std::string good = good_dump();
  const auto pieces = pieces_of(good);
  TemporaryFile file("");
  for (std::size_t cut = 0; cut < 4096; ++cut) {
    expect_cut_is_told(good, pieces, file, cut);
    if (HasFatalFailure()) return;
  }
}

TEST(Damage, CutAtRandomPlaces) {
  const std::string good = good_dump();
  const auto pieces = pieces_of(good);
  TemporaryFile file("");
  std::mt19937 random(6);
  for (int i = 0; i < 200; ++i) {
    expect_cut_is_told(good, pieces, file, random() % good.size());
    if (HasFatalFailure()) return;
  }
}

TEST(Damage, ZerosOrNoiseAfterTheEndAreDamageAndHideNothing) {
  std::mt19937 random(7);
  std::string noise(64, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const std::string& tail : {std::string(64, '\0'), noise, std::string(1, 'x')}) {
    const TemporaryFile file(good_dump() + tail);
    const Outcome outcome = read_all(file.path());
    ASSERT_EQ(outcome.failure, "");
    EXPECT_EQ(finished_scopes(outcome.report), 10000u);
    ASSERT_EQ(outcome.report.partial.size(), 1u);
    EXPECT_THAT(outcome.report.partial[0], HasSubstr("damaged at byte " + std::to_string(good_dump().size())));
    EXPECT_EQ(outcome.report.process->ended, "exit");
  }
}

TEST(Damage, AHoleCostsTheBlocksInItAndNothingElse) {
  const std::string good = good_dump();
  const auto pieces = pieces_of(good);
  const auto scopes = std::find_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.records == 256; });
  std::string bytes = good;
  bytes[scopes->begin + 50] ^= 1;  // payload of the first block of scopes
  const TemporaryFile file(bytes);
  const Outcome outcome = read_all(file.path());
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(finished_scopes(outcome.report), 10000u - 256);
  EXPECT_EQ(outcome.report.losses.not_in_file, 256u);  // the gap in the sequence tells how many
  EXPECT_EQ(outcome.report.losses.records, 256u);
  EXPECT_THAT(outcome.report.partial.front(), HasSubstr("damaged at byte " + std::to_string(scopes->begin)));
}

TEST(Damage, ALengthThatReachesBeyondTheFileIsDamageIfGoodBlocksFollow) {
  const std::string good = good_dump();
  const auto pieces = pieces_of(good);
  std::string bytes = good;
  bytes[pieces[6].begin + 14] = 0x0e;  // payload_bytes + 917,504
  const TemporaryFile file(bytes);
  const Outcome outcome = read_all(file.path());
  ASSERT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.report.process->ended, "exit");
  EXPECT_EQ(finished_scopes(outcome.report), 10000u - pieces[6].records);
}

TEST(Damage, FlippedBitsNeverCrashNorInventRecords) {
  const std::string good = good_dump(3000);
  std::mt19937 random(17);
  TemporaryFile file("");
  for (int variant = 0; variant < (TL_LONG ? 20000 : 1000); ++variant) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
    file.write(bytes);
    const Outcome outcome = read_all(file.path());
    if (!outcome.failure.empty()) continue;
    ASSERT_LE(finished_scopes(outcome.report), 3000u);
    if (bytes.substr(16) == good.substr(16)) continue;  // two flips of one bit, or what the header keeps for later
    ASSERT_FALSE(outcome.report.partial.empty());
    ASSERT_FALSE(outcome.report.file.complete);
  }
}

TEST(Damage, BitsFlippedUnderARightChecksumNeverCrash) {
  // What a crafted file can do that an accident cannot: every block is valid to its checksum.
  const std::string bases[] = {good_dump(2000), rich_dump(), later_part()};
  const std::vector<Piece> all_pieces[] = {pieces_of(bases[0]), pieces_of(bases[1]), pieces_of(bases[2])};
  std::mt19937 random(18);
  TemporaryFile file("");
  for (int variant = 0; variant < (TL_LONG ? 20000 : 2000); ++variant) {
    std::string bytes = bases[variant % 3];
    const auto& pieces = all_pieces[variant % 3];
    for (unsigned flips = 1 + random() % 4; flips > 0; --flips) {
      const Piece& piece = pieces[random() % pieces.size()];
      const std::size_t room = piece.end - piece.begin;
      bytes[piece.begin + 8 + random() % (room - 8)] ^= static_cast<char>(1u << random() % 8);
      dump::BlockHeader header;
      std::memcpy(&header, bytes.data() + piece.begin, sizeof header);
      if (sizeof header + header.payload_bytes > bytes.size() - piece.begin) continue;
      header.checksum = dump::checksum_of(header, bytes.data() + piece.begin + sizeof header);
      std::memcpy(bytes.data() + piece.begin, &header, sizeof header);
    }
    file.write(bytes);
    read_all(file.path());
  }
}

TEST(Damage, AMagicEveryFourBytesDoesNotMakeTheSearchQuadratic) {
  std::string bytes = DumpBuilder().process().bytes();
  dump::BlockHeader header;
  header.payload_bytes = 500000;
  std::string unit(reinterpret_cast<const char*>(&header), sizeof header);
  while (bytes.size() < (2u << 20)) bytes += unit;
  const TemporaryFile file(bytes);
  const Outcome outcome = read_all(file.path());
  ASSERT_EQ(outcome.failure, "");
  EXPECT_FALSE(outcome.report.partial.empty());
}

}  // namespace
}  // namespace tl::test
