#!/usr/bin/env python3
"""tlbench scope: what it says adds up, moves with what it measures, and disagreement is not passed over. No time is judged:
the machine may be busy."""
import os

import bench_harness as bench
import telemetry_harness as harness

REFERENCES = {"fast": "floor", "fast_2": "fast", "mid": "floor_mid", "hard": "floor_hard", "next": "floor", "nested8": "fast",
              "ids1000": "fast", "paused": "floor", "header_only": "floor", "cold_first": "floor_cold"}
UNTOUCHED = ("fast", "fast_2", "nested8", "ids1000", "cold_first")  # cases of calls that every version has
# The calls that came later.
LATER = """
void tl_scope_begin_mid(unsigned id) { TAKE }
void tl_scope_end_mid(unsigned id) { }
void tl_scope_begin_hard(unsigned id) { TAKE }
void tl_scope_end_hard(unsigned id) { }
void tl_scope_next(unsigned id) { TAKE }
static int paused;
void tl_pause(void) { paused = 1; }
void tl_resume(void) { if (!paused) abort(); }
"""


class Scope(bench.BenchTest):
    def scope(self, *more, **how):
        return self.suite("scope", *more, **how)

    def test_document(self):
        document, cases, stderr = self.scope()
        self.assertEqual(stderr, "")
        self.assertEqual((document["schema"], document["bench"], document["pinned_to"]), (1, "scope", None))
        self.assertEqual([case["name"] for case in document["cases"]], bench.NAMES["scope"])
        self.assertEqual(os.path.realpath(document["library"]["path"]), os.path.realpath(harness.LIBRARY))
        machine = document["machine"]
        self.assertEqual(machine["kernel"], os.uname().release)
        self.assertEqual(machine["usable_cpus"], len(os.sched_getaffinity(0)))
        with open("/sys/devices/system/clocksource/clocksource0/current_clocksource", encoding="ascii") as file:
            self.assertEqual(machine["clocksource"], file.read().strip())
        for name, case in cases.items():
            with self.subTest(name):
                self.check_case(name, case)
        self.assertIsNone(cases["header_only"]["lost"])  # nobody counts
        if cases["mid"]["why_not"] is None:
            self.assertLess(cases["mid"]["reference_ns"], cases["hard"]["reference_ns"])
        if cases["hard"]["why_not"] is None:
            self.assertLess(cases["fast"]["reference_ns"], cases["hard"]["reference_ns"])  # a fence costs

    def check_case(self, name, case):
        self.assertEqual(case["reference"], REFERENCES[name])
        self.assertEqual(case["threads"], 2 if name == "fast_2" else 1)
        if case["why_not"] is not None:
            self.assertNotIn(name, UNTOUCHED)
            self.assertIn("not in this library: tl_", case["why_not"])
            for key in ("ns", "reference_ns", "p50_ns", "p99_ns", "ratio", "lost"):
                self.assertIsNone(case[key], key)
            return
        self.assert_positive(case["ns"], case["reference_ns"], case["p50_ns"], case["p99_ns"], case["ratio"],
                             case["ratio_p10"], case["ratio_p90"])
        self.assertLessEqual(case["p50_ns"], case["p99_ns"])
        self.assertLessEqual(case["ratio_p10"], case["ratio"])
        self.assertLessEqual(case["ratio"], case["ratio_p90"])
        self.assertGreaterEqual(case["pairs"], 3)
        if name == "header_only":
            self.assertIsNone(case["recorded"])
        else:
            self.assertEqual(case["begun"], case["recorded"] + case["lost"])
            self.assertEqual(sum(case["lost_by_cause"].values()), case["lost"])
        if name in UNTOUCHED and name != "cold_first":
            # Both slices of each pair, and of two of the references as well.
            runs = {"fast": 1, "fast_2": 3, "nested8": 2, "ids1000": 2}[name]
            self.assertGreater(case["begun"], runs * case["pairs"] * case["slice_operations"])
        if name == "cold_first":
            self.assertEqual((case["reference_minor_faults"], case["heap_bytes"]), (0, 0))
            self.assertIn(case["allocations"], (None, 0))
            recycled = case["recycled"]
            self.assert_positive(recycled["p50_ns"])
            self.assertLessEqual(recycled["p50_ns"], recycled["p99_ns"])
            # The process's first, that of the one that warms up, and all that are in the figures.
            self.assertEqual(case["begun"], 2 + case["pairs"] + recycled["threads"])
            self.assertLessEqual(case["threads_with_faults"], case["minor_faults"])
        if name == "paused":
            self.assertEqual(case["begun"], 1)

    def test_foreign_settings_do_not_reach_it(self):
        _, cases, stderr = self.scope(env={"TL_DISABLE": "1", "TL_OUTPUT": "/nowhere/x.tl", "TL_RING": "1024", "TL_WHAT": "x",
                                           "LD_PRELOAD": harness.LIBRARY})
        # The tool's own process is one that the user's settings watch, and they have their say there.
        self.assertEqual([line for line in stderr.splitlines() if "TL_WHAT" not in line], [])
        self.assertGreater(cases["fast"]["recorded"], 100000)
        self.assert_positive(cases["header_only"]["ratio"])

    def test_pinned(self):
        cpu = max(os.sched_getaffinity(0))
        document, cases, _ = self.scope("--cpus", str(cpu))
        self.assertEqual(document["pinned_to"], [cpu])
        self.assertEqual(cases["fast"]["begun"], cases["fast"]["recorded"] + cases["fast"]["lost"])

    def test_ratios_follow_what_a_call_takes(self):
        tool = self.stand_in("for (volatile int i = 0; i < 300; ++i);", later=LATER)
        document, cases, _ = self.scope(tool=tool, status=1)  # for want of a dump, not for its time
        self.assertEqual(document["library"]["version"], "stand-in")
        self.assertEqual([case["why_not"] for case in cases.values()], [None] * len(bench.NAMES["scope"]))
        for name in ("fast", "next", "paused"):
            self.assertGreater(cases[name]["cpu_ratio"], 3)
        for name in ("mid", "hard"):
            self.assertGreater(cases[name]["cpu_ratio"], 1.5)
        # The reference of these is as slow: what they tell apart is the second thread, the nesting, the other ids.
        for name in ("fast_2", "nested8", "ids1000"):
            self.assertLess(cases[name]["cpu_ratio"], 2)
            self.assertGreater(cases[name]["floor_ratio"], 2)
        self.assertLess(cases["header_only"]["cpu_ratio"], 1)

    def test_records_that_are_missing_are_not_passed_over(self):
        dump, recorded = self.dump_of_another()
        _, cases, stderr = self.scope(tool=self.stand_in(dump=dump), status=1)
        fast = cases["fast"]
        self.assertEqual((fast["recorded"], fast["lost"]), (recorded, 0))
        self.assertEqual(len(stderr.splitlines()), 1, stderr)
        self.assertIn(f"case fast: {fast['begun']} scopes were begun, but the dump holds {recorded} and counts 0 as lost",
                      stderr)

    def test_library_that_leaves_nothing(self):
        _, cases, stderr = self.scope(tool=self.stand_in(), status=1)
        self.assertIn("case fast: cannot read", stderr)
        self.assertIsNone(cases["fast"]["lost"])
        # Nor has it the later calls: no figure is made up for them.
        for name in ("mid", "hard", "next", "paused"):
            self.assertIn("not in this library: tl_", cases[name]["why_not"])
            self.assertIsNone(cases[name]["ratio"])


if __name__ == "__main__":
    harness.main()
