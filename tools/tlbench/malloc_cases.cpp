#include "tlbench/cases.h"

namespace tl::tlbench {

namespace {

constexpr double kLoopWeight = 12, kProgramWeight = 14, kCc1plusWeight = 28;

constexpr Part kForwarder{"forwarder", allocate_64};
constexpr Part kForwarder2{"forwarder_2", allocate_64, false, 2};
constexpr Part kNothing{"without", allocate_64};
constexpr Part kNothing2{"without", allocate_64, false, 2};
constexpr Part kRunWithout{"without"};

Case program(std::string_view name, std::string_view alloc, std::string_view program, std::string_view what,
             double limit) {
  return {.name = name,
          .what = what,
          .method = Method::program,
          .weight = program == "cc1plus" ? kCc1plusWeight : kProgramWeight,
          .part = {name},
          .reference = kRunWithout,
          .alloc = alloc,
          .program = program,
          .limit = {.ratio = limit}};
}

}  // namespace

Suite malloc_suite() {
  constexpr std::string_view kSqlite = "sqlite3: 120,000 rows inserted into a table in memory, and grouped";
  constexpr std::string_view kPerl = "perl: 200,000 strings pushed into a hash of 10,007 lists";
  constexpr std::string_view kPython = "python3: 60,000 dicts of 21 entries, one a long string";
  constexpr std::string_view kCc1plus = "cc1plus: a preprocessed file with <map>, <string> and <vector>";
  Suite suite{
      .name = "malloc",
      .heading = "What a pair of malloc and free costs, or a whole program, beside its reference",
      .note =
          "to floor: to the same loop without any library; the loops of a round are processes that take turns on "
          "the same CPUs; programs are timed from start to end, their drain and dump included, and never pinned",
      .cases = {},
      .same_cpus = true,
      .later = {"sampled", "every_stack"}};
  suite.cases = {
      {.name = "count",
       .what = "malloc(64) and free, TL_ALLOC=count",
       .method = Method::beside,
       .weight = kLoopWeight,
       .part = {"count", allocate_64},
       .reference = kForwarder,
       .floor = kNothing,
       .alloc = "count",
       .limit = {.ratio = 1.03}},
      {.name = "count_2",
       .what = "the same on two threads at once, CPU time of each",
       .method = Method::beside,
       .weight = kLoopWeight,
       .part = {"count_2", allocate_64, false, 2},
       .reference = kForwarder2,
       .floor = kNothing2,
       .alloc = "count",
       .limit = {.ratio = 1.03}},
      {.name = "time",
       .what = "malloc(64) and free, TL_ALLOC=time",
       .method = Method::beside,
       .weight = kLoopWeight,
       .part = {"time", allocate_64},
       .reference = kForwarder,
       .floor = kNothing,
       .alloc = "time"},
      program("count/sqlite", "count", "sqlite", kSqlite, 1.02),
      program("count/perl", "count", "perl", kPerl, 1.02),
      program("count/python", "count", "python", kPython, 1.02),
      program("count/cc1plus", "count", "cc1plus", kCc1plus, 1.02),
      program("time/sqlite", "time", "sqlite", kSqlite, 1.10),
      program("time/perl", "time", "perl", kPerl, 1.10),
      program("time/python", "time", "python", kPython, 1.10),
      program("time/cc1plus", "time", "cc1plus", kCc1plus, 1.10),
  };
  return suite;
}

}  // namespace tl::tlbench
