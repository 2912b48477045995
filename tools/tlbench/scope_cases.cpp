#include "tlbench/cases.h"

namespace tl::tlbench {

namespace {

constexpr Part kFloor{"floor", floor_fast};
constexpr Part kFloorMid{"floor_mid", floor_mid};
constexpr Part kFloorHard{"floor_hard", floor_hard};
constexpr Part kFloorCold{"floor_cold", floor_fast};
constexpr Part kPlain{"fast", scope_fast, true};

}  // namespace

Suite scope_suite() {
  Suite suite{.name = "scope",
              .heading = "What a pair of begin and end costs, or a stage, beside its reference",
              .note = "p99 of cold_first: of single pairs",
              .cases = {}};
  suite.cases = {
      {.name = "fast",
       .what = "tl_scope_begin, tl_scope_end",
       .part = kPlain,
       .reference = kFloor,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.ratio = 1.08}},
      {.name = "fast_2",
       .what = "the same on two threads at once, CPU time of each",
       .part = {"fast_2", scope_fast, true, 2},
       .reference = kPlain,
       .floor = kFloor,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.ratio = 1.05}},
      {.name = "mid",
       .what = "tl_scope_begin_mid, tl_scope_end_mid",
       .part = {"mid", scope_mid, true},
       .reference = kFloorMid,
       .calls = {"tl_scope_begin_mid", "tl_scope_end_mid"},
       .limit = {.ratio = 1.08}},
      {.name = "hard",
       .what = "tl_scope_begin_hard, tl_scope_end_hard",
       .part = {"hard", scope_hard, true},
       .reference = kFloorHard,
       .calls = {"tl_scope_begin_hard", "tl_scope_end_hard"},
       .limit = {.ratio = 1.08}},
      {.name = "next",
       .what = "tl_scope_next: one stage of a chain",
       .part = {"next", scope_next, true},
       .reference = kFloor,
       .calls = {"tl_scope_next"},
       .limit = {.ratio = 0.60}},
      {.name = "nested8",
       .what = "one of eight nested pairs",
       .part = {"nested8", scope_nested8, true},
       .reference = kPlain,
       .floor = kFloor,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.ratio = 1.05}},
      {.name = "ids1000",
       .what = "a pair, 1,000 ids in turn",
       .part = {"ids1000", scope_ids1000, true},
       .reference = kPlain,
       .floor = kFloor,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.ratio = 1.05}},
      {.name = "paused",
       .what = "a pair while recording is paused",
       .method = Method::paused,
       .part = {"paused", scope_fast},
       .reference = kFloor,
       .calls = {"tl_scope_begin", "tl_scope_end", "tl_pause", "tl_resume"},
       .limit = {.ratio = 0.09}},
      {.name = "header_only",
       .what = "a pair without the library",
       .part = {"header_only", scope_fast},
       .reference = kFloor,
       .with_library = false,
       .limit = {.ratio = 0.09}},
      {.name = "cold_first",
       .what = "the first pair of a new thread",
       .method = Method::cold,
       .part = {"cold_first", scope_fast, true},
       .reference = kFloorCold,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.ns = 1000}},
  };
  return suite;
}

}  // namespace tl::tlbench
