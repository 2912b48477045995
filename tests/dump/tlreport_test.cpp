// tlreport as a program: what it prints where, and the status it ends with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <sstream>

#include "good_dump.h"

namespace tl::test {
namespace {

using ::testing::HasSubstr;

struct Ended {
  int status = -1;
  std::string out, err;
};

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Arguments are single words for the shell.
Ended tlreport(const std::string& arguments) {
  const TemporaryFile out(""), err("");
  const std::string command =
      std::string(TLREPORT) + " " + arguments + " >" + out.path() + " 2>" + err.path() + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents_of(out.path()),
          contents_of(err.path())};
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Nothing on stdout, one line on stderr.
void expect_refusal(const std::string& arguments, int status, const std::string& why) {
  const Ended run = tlreport(arguments);
  EXPECT_EQ(run.status, status) << arguments;
  EXPECT_EQ(run.out, "") << arguments;
  EXPECT_EQ(lines_of(run.err), 1u) << run.err;
  EXPECT_EQ(run.err.rfind("tlreport: ", 0), 0u) << run.err;
  EXPECT_THAT(run.err, HasSubstr(why)) << arguments;
}

TEST(Tlreport, WrongUsageIsTwo) {
  const TemporaryFile file(good_dump(10));
  expect_refusal("", 2, "no FILE given");
  expect_refusal("summary", 2, "no FILE given");
  expect_refusal("check --json", 2, "no FILE given");
  for (const char* command : {"windows", "outliers", "alloc", "threads", "diff", "gate", "treat", "html", "export"})
    expect_refusal(
        std::string(command) + " " + file.path(), 2,
        std::string("'") + command + "' is not available in this version; available: summary, check, follow");
  for (const char* option : {"--csv", "--stats", "--from=1", "--digits=4", "--force", "--sysroot=/"})
    expect_refusal(std::string(option) + " " + file.path(), 2, "is not available in this version");
  expect_refusal("--nonsense " + file.path(), 2, "--nonsense");
  expect_refusal("--color=blue " + file.path(), 2, "blue");
  expect_refusal("--percentiles=50,x " + file.path(), 2, "--percentiles '50,x'");
  expect_refusal("--scope", 2, "--scope");
  expect_refusal("follow", 2, "no FILE given");
  expect_refusal("follow --openmetrics 9100 " + file.path(), 2, "'--openmetrics' is not available in this version");
  expect_refusal("follow " + file.path() + " " + file.path(), 2, "2 files given; accepted is one");
  expect_refusal("follow --raw " + file.path(), 2, "has no meaning for follow");
  expect_refusal("--raw --corrected " + file.path(), 2, "accepted is one of them");
}

TEST(Tlreport, AMisspeltCommandIsNoMissingFile) {
  const TemporaryFile file(good_dump(10));
  expect_refusal("sumary " + file.path(), 2, "unknown command 'sumary'");
  expect_refusal("sumary", 2, "unknown command 'sumary'");
  expect_refusal("./sumary", 3, "No such file");
}

TEST(Tlreport, AnOptionThatACommandWouldIgnoreIsRefused) {
  const TemporaryFile file(good_dump(10));
  for (const char* option : {"--scope=x", "--thread=x", "--percentiles=50", "--raw", "--corrected"})
    expect_refusal(std::string("check ") + option + " " + file.path(), 2, "has no meaning for check");
}

TEST(Tlreport, AFilterThatMatchesNothingIsOneLineAndFine) {
  const TemporaryFile file(good_dump(10));
  for (const std::string filter : {"--scope nope ", "--thread nope "}) {
    const Ended run = tlreport(filter + file.path());
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(lines_of(run.out), 1u) << run.out;
    EXPECT_THAT(run.out, HasSubstr("matches " + filter.substr(0, filter.size() - 1)));
    EXPECT_EQ(tlreport("--json " + filter + file.path()).status, 0);
  }
}

TEST(Tlreport, TheNextCommandCanBePasted) {
  const TemporaryFile file(good_dump());
  const Ended run = tlreport(file.path());
  const std::size_t next = run.out.find("Next: ");
  ASSERT_NE(next, std::string::npos) << run.out;
  const std::string command = run.out.substr(next + 6, run.out.find('\n', next) - next - 6);
  EXPECT_EQ(command.find(TLREPORT), 0u) << command;
  EXPECT_EQ(std::system(("{ " + command + "\n} >/dev/null").c_str()), 0) << command;
}

TEST(Tlreport, ColumnsOfTheEnvironmentCountWhereverStdoutGoes) {
  const TemporaryFile file(good_dump());
  const std::string wide = tlreport(file.path()).out;
  EXPECT_THAT(wide, HasSubstr("p99.9"));
  ASSERT_EQ(::setenv("COLUMNS", "60", 1), 0);
  const std::string narrow = tlreport(file.path()).out;
  ::setenv("COLUMNS", "no number", 1);
  EXPECT_EQ(tlreport(file.path()).out, wide);
  ::unsetenv("COLUMNS");
  EXPECT_THAT(narrow, HasSubstr("Left out for want of width"));
}

TEST(Tlreport, NothingUsableIsThree) {
  const TemporaryFile empty(""), text("hello, world, this is no dump\n"), version(DumpBuilder(65535).process().bytes());
  for (const std::string command : {"", "check ", "summary --json "}) {
    expect_refusal(command + empty.path(), 3, "is empty (0 bytes)");
    expect_refusal(command + text.path(), 3, "is not a telemetry dump");
    expect_refusal(command + version.path(), 3, "has version 65535");
    expect_refusal(command + "/nonexistent/file.tl", 3, "No such file or directory");
    expect_refusal(command + "/", 3, "is a directory");
    expect_refusal(command + "/dev/null", 3, "is not a regular file");
  }
  const std::string fifo = empty.path() + ".fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  expect_refusal(fifo, 3, "is not a regular file");
  ::unlink(fifo.c_str());
}

TEST(Tlreport, AWholeDumpIsZeroAndSilentOnStderr) {
  const TemporaryFile file(good_dump());
  for (const std::string command : {"", "summary ", "check ", "--json ", "summary --json ", "check --json "}) {
    const Ended run = tlreport(command + file.path());
    EXPECT_EQ(run.status, 0) << command;
    EXPECT_EQ(run.err, "") << command;
    EXPECT_GT(run.out.size(), 200u);
    EXPECT_EQ(run.out.find('\x1b'), std::string::npos);
    EXPECT_EQ(tlreport(command + file.path()).out, run.out) << "the second report must be the first";
  }
  EXPECT_EQ(tlreport(file.path()).out, tlreport("summary " + file.path()).out);
  EXPECT_NE(tlreport("--color=always " + file.path()).out.find("\x1b["), std::string::npos);
}

TEST(Tlreport, PartialIsFourAndSaysWhyInOneLine) {
  const std::string good = good_dump();
  const TemporaryFile cut(good.substr(0, good.size() / 2));
  std::string bytes = good;
  bytes[good.size() / 2] ^= 4;
  const TemporaryFile damaged(bytes);
  const TemporaryFile killed(DumpBuilder().process().anchor(0, 0).end(10, 0, dump::EndReason::killed).bytes());
  const TemporaryFile signalled(DumpBuilder().process().anchor(0, 0).end(10, 0, dump::EndReason::signal, 11).bytes());
  const TemporaryFile open(DumpBuilder().process().anchor(0, 0).bytes());
  const TemporaryFile lost(DumpBuilder().process().anchor(0, 0).counters(0, 1, 0, 0, {5}, 0, 0, {}).end(10, 0).bytes());
  const std::pair<const TemporaryFile*, const char*> cases[] = {
      {&cut, "cut after "},      {&damaged, "damaged at byte "}, {&killed, "not closed"},
      {&signalled, "signal 11"}, {&open, "not closed"},          {&lost, "5 records were lost (ring_full 5)"}};
  for (const auto& [file, why] : cases)
    for (const std::string command : {"", "check ", "--json ", "check --json "}) {
      const Ended run = tlreport(command + file->path());
      EXPECT_EQ(run.status, 4) << command << why;
      EXPECT_THAT(run.err, HasSubstr(why)) << command;
      EXPECT_EQ(lines_of(run.err), 1u);
      EXPECT_GT(run.out.size(), 100u);
    }
}

TEST(Tlreport, LossesComeFirstWithAdviceAndDoNotMakeAFileIncomplete) {
  const TemporaryFile lost(DumpBuilder()
                               .process()
                               .anchor(0, 0)
                               .names({"a"})
                               .thread(0, "main")
                               .scopes(0, 0, {{100, 1, 1}})
                               .counters(0, 1, 1, 1, {0, 0, 3}, 0, 0, {})
                               .end(900, 1)
                               .bytes());
  const Ended text = tlreport(lost.path()), json = tlreport("--json " + lost.path());
  EXPECT_EQ(text.out.rfind("3 of 4 records were lost (75 %: too_deep), so counts are low", 0), 0u) << text.out;
  EXPECT_THAT(text.out, HasSubstr("\nTo lose none: too_deep: "));
  EXPECT_THAT(json.out, HasSubstr("\"advice\": [\n      \"too_deep: "));
  EXPECT_THAT(json.out, HasSubstr("\"complete\": true"));
  EXPECT_EQ(text.status, 4);
  EXPECT_EQ(json.status, 4);
}

TEST(Tlreport, NothingThatIsDamagedIsFine) {
  const std::string good = good_dump(500);
  std::mt19937 random(19);
  TemporaryFile file("");
  for (int variant = 0; variant < 60; ++variant) {
    std::string bytes = good;
    if (variant % 3 == 0)
      bytes.resize(random() % bytes.size());
    else if (variant % 3 == 1)
      bytes += std::string(64, variant % 2 == 0 ? '\0' : 'x');
    else
      bytes[16 + random() % (bytes.size() - 16)] ^= static_cast<char>(1u << random() % 8);
    file.write(bytes);
    const Ended run = tlreport(std::string(variant % 2 == 0 ? "check " : "--json ") + file.path());
    EXPECT_TRUE(run.status == 3 || run.status == 4) << run.status << " of variant " << variant;
    EXPECT_EQ(lines_of(run.err), 1u) << run.err;
    EXPECT_EQ(run.out.empty(), run.status == 3);
  }
}

TEST(Tlreport, PartsOfARotatedDumpAreOneReport) {
  const auto part = [](std::uint32_t number, dump::EndReason reason) {
    DumpBuilder dump;
    dump.process().part(number, 2).anchor(0, 0).names({"a"}).scopes(0, number - 1, {{100 * number, 1, 1}});
    return dump.anchor(1000 * number, 1000 * number).end(1000 * number, 1, reason).bytes();
  };
  const TemporaryFile one(part(1, dump::EndReason::continued)), two(part(2, dump::EndReason::exit));
  const Ended both = tlreport(two.path() + " " + one.path());
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr(one.path() + ", part 1 of a rotated dump, and 1 more to part 2: demo"));
  EXPECT_EQ(both.out.find("files together"), std::string::npos);
  const Ended json = tlreport("--json " + two.path() + " " + one.path());
  EXPECT_EQ(json.out.find("\"reports\""), std::string::npos);
  EXPECT_THAT(json.out, HasSubstr("\"recovered_records\": 2"));
  const Ended lone = tlreport("--json " + one.path());
  EXPECT_EQ(lone.status, 4);
  EXPECT_EQ(lone.err,
            "tlreport: " + one.path() + ": partial: part 1 of a rotated dump, which goes on in the next part\n");
  EXPECT_THAT(lone.out, HasSubstr("\"ended\": \"running\""));
  for (const std::string& files : {one.path(), two.path()}) EXPECT_EQ(tlreport("check " + files).status, 4);
}

TEST(Tlreport, OneBadFileAmongGoodOnesIsSaidAndTheOthersAreShown) {
  const TemporaryFile a(good_dump(10)), b(good_dump(20)), bad("");
  const Ended run = tlreport("--json " + a.path() + " " + bad.path() + " " + b.path());
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(lines_of(run.err), 1u);
  EXPECT_THAT(run.out, HasSubstr("\"reports\""));
  EXPECT_THAT(run.out, HasSubstr("\"merged\""));
  const Ended text = tlreport(a.path() + " " + b.path());
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("All 2 files together: 30 records"));
}

TEST(Tlreport, OneReadableFileIsNotMerged) {
  const TemporaryFile good(good_dump(10)), bad("");
  const Ended text = tlreport(good.path() + " " + bad.path());
  EXPECT_EQ(text.status, 3);
  EXPECT_EQ(text.out.find("files together"), std::string::npos);
  EXPECT_THAT(tlreport("--json " + good.path() + " " + bad.path()).out, HasSubstr("\"merged\": null"));
}

TEST(Tlreport, KilledWithEverythingRecoveredDoesNotReadAsALoss) {
  const TemporaryFile file(DumpBuilder().process().anchor(0, 0).end(10, 0, dump::EndReason::signal, 15).bytes());
  const Ended run = tlreport(file.path());
  const std::string said = "ot closed: killed by signal 15 (SIGTERM); every finished record was recovered";
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(run.err, "tlreport: " + file.path() + ": n" + said + "\n");
  EXPECT_THAT(run.out, HasSubstr("\nN" + said + "\n"));
}

TEST(Tlreport, CheckHoldsNothingForThreadsWithoutCounters) {
  const std::string good = good_dump();
  const auto pieces = pieces_of(good);
  std::size_t end = 0;  // after the last block of scopes: the counters follow
  for (const Piece& piece : pieces)
    if (piece.records > 0) end = piece.end;
  const TemporaryFile none(good.substr(0, end)), one(good.substr(0, pieces[pieces.size() - 3].begin));
  const std::string out = tlreport("check " + none.path()).out;
  EXPECT_EQ(out.find("holds:"), std::string::npos) << out;
  EXPECT_THAT(out, HasSubstr("cannot tell: records by thread"));
  EXPECT_THAT(out, HasSubstr("Missing: counters of 2 threads"));
  EXPECT_THAT(tlreport("check --json " + none.path()).out, HasSubstr("\"holds\": null"));
  EXPECT_THAT(tlreport("check " + one.path()).out, HasSubstr("looked at for 1 of 2 threads"));
  EXPECT_THAT(tlreport("check " + one.path()).out, HasSubstr("Missing: counters of 1 thread\n"));
}

TEST(Tlreport, AFileWithAnAwkwardNameIsOneLineStill) {
  const TemporaryFile file("");
  const std::string odd = file.path() + "\nodd \x1b[31m";
  std::filesystem::rename(file.path(), odd);
  const Ended run = tlreport("'" + odd + "'");
  EXPECT_EQ(run.status, 3);
  EXPECT_EQ(lines_of(run.err), 1u);
  EXPECT_EQ(run.err.find('\x1b'), std::string::npos);
  std::filesystem::remove(odd);
}

TEST(Tlreport, BothViewsAreOfOneDumpAndRawIsTheDefault) {
  const TemporaryFile file(rich_dump());
  const Ended usual = tlreport("--json " + file.path()), raw = tlreport("--raw --json " + file.path()),
              corrected = tlreport("--corrected --json " + file.path());
  for (const Ended* run : {&usual, &raw, &corrected}) {
    EXPECT_EQ(run->status, 0) << run->err;
    EXPECT_EQ(run->err, "");
  }
  EXPECT_EQ(usual.out, raw.out);
  EXPECT_THAT(raw.out, HasSubstr("\"view\": \"raw\""));
  EXPECT_THAT(corrected.out, HasSubstr("\"view\": \"corrected\""));
}

TEST(Tlreport, WhatCannotBeCorrectedIsShownAsMeasuredAndIsFour) {
  const TemporaryFile file(good_dump(10)), rich(rich_dump());
  for (const std::string command : {"", "--json "}) {
    const Ended run = tlreport("--corrected " + command + file.path()), raw = tlreport(command + file.path());
    EXPECT_EQ(run.status, 4);
    EXPECT_EQ(lines_of(run.err), 1u) << run.err;
    EXPECT_THAT(run.err, HasSubstr(": cannot be corrected: what recording itself takes is not in the dump"));
    EXPECT_TRUE(command.empty() || run.out == raw.out);
  }
  const Ended several = tlreport("--corrected " + rich.path() + " " + file.path() + " " + rich.path());
  EXPECT_EQ(several.status, 4);
  EXPECT_THAT(several.out, HasSubstr("All 2 files together"));
  EXPECT_THAT(several.out, HasSubstr("in no merged number, since its times cannot be corrected"));
}

TEST(Tlreport, HelpAndVersionAreAskedForAndFine) {
  const Ended version = tlreport("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "tlreport " TL_VERSION "\n");
  const Ended help = tlreport("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("Exit status"));
  EXPECT_THAT(help.out, HasSubstr("'self'"));
  EXPECT_EQ(help.out.find("usage:"), 0u);
  EXPECT_EQ(help.out.find("OPTIONS"), std::string::npos);
  EXPECT_EQ(help.err, "");
}

TEST(Tlreport, AReportThatCannotBeWrittenIsNotFine) {
  const TemporaryFile file(good_dump(10));
  const int status = std::system((std::string(TLREPORT) + " " + file.path() + " >/dev/full 2>/dev/null").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace tl::test
