#include "tlbench/cases.h"
#include "tlbench/encoding.h"

namespace tl::tlbench {

namespace {

constexpr Part kUndrained{"undrained", undrained_fast};
constexpr Part kUndrained2{"undrained_2", undrained_fast, false, 2};
constexpr Part kRead{"read_once", read_once};

}  // namespace

Suite drain_suite() {
  Suite suite{.name = "drain",
              .heading = "What is lost at full rate, what a record takes on the disk, and how fast blocks are made",
              .note =
                  "share: what was recorded a second, the whole stretch through, to what the reference does in "
                  "its median slice",
              .cases = {}};
  suite.cases = {
      {.name = "flat_out",
       .what = "a pair, without a break; reference: the same code into memory that nobody drains",
       .method = Method::stretch,
       .weight = 70,
       .part = {"flat_out", scope_fast, true},
       .reference = kUndrained,
       .sized = true,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.share_of_flat_out = 0.93, .lost = 0}},
      {.name = "flat_out_2",
       .what = "the same on two threads at once",
       .method = Method::stretch,
       .weight = 6,
       .part = {"flat_out_2", scope_fast, true, 2},
       .reference = kUndrained2,
       .sized = true,
       .calls = {"tl_scope_begin", "tl_scope_end"}},
      {.name = "burst",
       .what = "a pair, for 20 ms after idleness",
       .method = Method::stretch,
       .weight = 8,
       .part = {"burst", scope_fast, true},
       .reference = kUndrained,
       .idle_share = 0.9,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.lost = 0}},
      {.name = "stages",
       .what = "an item of four nested stages (three inside one), 200,000 a second",
       .method = Method::paced,
       .weight = 6,
       .part = {"stages", record_stages, true},
       .sized = true,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.bytes_per_record = 4.0}},
      {.name = "ids1000",
       .what = "the same item, each stage of one of 1,000 ids",
       .method = Method::paced,
       .weight = 3,
       .part = {"ids1000", record_ids1000, true},
       .sized = true,
       .calls = {"tl_scope_begin", "tl_scope_end"},
       .limit = {.bytes_per_record = 4.5}},
      {.name = "encode",
       .what = "a record into its block, with AVX2; reference: reading it",
       .weight = 3.5,
       .part = {"encode", encode_avx2},
       .reference = kRead,
       .with_library = false,
       .encodes = true,
       .in_every_cpu = false,
       .limit = {.records_per_s = 200e6}},
      {.name = "encode_baseline",
       .what = "the same for any processor",
       .weight = 3.5,
       .part = {"encode_baseline", encode_baseline},
       .reference = kRead,
       .with_library = false,
       .encodes = true,
       .limit = {.records_per_s = 100e6}},
  };
  return suite;
}

}  // namespace tl::tlbench
