#!/usr/bin/env python3
"""tlbench drain: what it says adds up, and records that are missing are found out. No figure is judged: the machine may be
busy."""
import os

import bench_harness as bench
import telemetry_harness as harness

REFERENCES = {"flat_out": "undrained", "flat_out_2": "undrained_2", "burst": "undrained", "stages": None, "ids1000": None,
              "encode": "read_once", "encode_baseline": "read_once"}
RECORDING = ("flat_out", "flat_out_2", "burst", "stages", "ids1000")
STRETCHES = ("flat_out", "flat_out_2", "burst")
KEYS = ("name", "reference", "threads", "ns", "reference_ns", "p50_ns", "p99_ns", "ratio", "lost", "share_of_flat_out",
        "bytes_per_record", "records_per_s", "limit", "begun", "recorded", "why_not")


def has_avx2():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        return " avx2 " in file.read()


class Drain(bench.BenchTest):
    def drain(self, *more, **how):
        return self.suite("drain", *more, **how)

    def test_document(self):
        document, cases, stderr = self.drain()
        self.assertEqual(stderr, "")
        self.assertEqual((document["schema"], document["bench"]), (1, "drain"))
        self.assertEqual([case["name"] for case in document["cases"]], bench.NAMES["drain"])
        with open("/proc/mounts", encoding="utf-8") as file:
            self.assertIn(document["machine"]["dumps_on"], [line.split()[2] for line in file])
        for name, case in cases.items():
            with self.subTest(name):
                self.assertEqual([key for key in KEYS if key not in case], [])
                self.assertEqual(case["reference"], REFERENCES[name])
                self.assertEqual(case["threads"], 2 if name == "flat_out_2" else 1)
                if case["why_not"] is not None:
                    self.assertEqual((name, has_avx2()), ("encode", False))
                    self.assertIsNone(case["records_per_s"])
                    continue
                self.check_timed(case, name in ("stages", "ids1000"))
                self.check_counts(name, case)
        self.assertEqual(cases["flat_out"]["limit"]["share_of_flat_out"], 0.93)
        self.assertGreater(cases["burst"]["idle_seconds"], 0.01)
        # One and the same name and thread, but ids that no one can guess.
        self.assertGreater(cases["ids1000"]["bytes_per_record"], cases["stages"]["bytes_per_record"])

    def check_timed(self, case, paced):
        if paced:
            for key in ("ns", "reference_ns", "p50_ns", "p99_ns", "ratio", "share_of_flat_out", "records_per_s"):
                self.assertIsNone(case[key], key)
            return
        self.assert_positive(case["ns"], case["reference_ns"], case["p50_ns"], case["p99_ns"], case["ratio"])
        self.assertLessEqual(case["p50_ns"], case["p99_ns"])

    def check_counts(self, name, case):
        if name not in RECORDING:
            self.assertEqual((case["lost"], case["recorded"], case["bytes_per_record"]), (None, None, None))
            self.assertAlmostEqual(case["records_per_s"] * case["ns"], 1e9, delta=1)
            return
        self.assertEqual(case["begun"], case["recorded"] + case["lost"])
        self.assertEqual(sum(case["lost_by_cause"].values()), case["lost"])
        if name != "burst":
            self.assert_positive(case["bytes_per_record"])
        if name in STRETCHES:
            # Recomputed from what was begun, all but the first of all in the stretch, and from how long it took.
            rate = (case["recorded"] - 1) / case["stretch_seconds"]
            self.assertAlmostEqual(case["share_of_flat_out"], rate * case["reference_ns"] / 1e9 / case["threads"], places=6)
            # The same code on other memory: where they are far apart, one of them is not what it should be.
            self.assertTrue(0.3 < case["cpu_ratio"] < 3, case["cpu_ratio"])
            self.assertGreater(case["stretch_seconds"], 0.4 if name == "flat_out" else 0.01)
        else:
            self.assertEqual(case["begun"] % 4, 1)  # whole items of four stages, and the first of all

    def test_pinned(self):
        cpu = max(os.sched_getaffinity(0))
        document, cases, _ = self.drain("--cpus", str(cpu))
        self.assertEqual(document["pinned_to"], [cpu])
        for name in RECORDING:
            self.assertEqual(cases[name]["begun"], cases[name]["recorded"] + cases[name]["lost"])

    def test_ratios_follow_what_a_call_takes(self):
        _, cases, _ = self.drain(tool=self.stand_in("for (volatile int i = 0; i < 300; ++i);"), status=1)  # no dump
        for name in STRETCHES:
            self.assertGreater(cases[name]["cpu_ratio"], 3)
            self.assertIsNone(cases[name]["share_of_flat_out"])

    def test_records_that_are_missing_are_not_passed_over(self):
        dump, recorded = self.dump_of_another()
        size = os.path.getsize(dump)
        _, cases, stderr = self.drain(tool=self.stand_in(dump=dump), status=1)
        for name in RECORDING:
            self.assertIn(f"case {name}: {cases[name]['begun']} scopes were begun, but the dump holds {recorded} and counts 0 as lost",
                          stderr)
            if name != "burst":
                self.assertAlmostEqual(cases[name]["bytes_per_record"], size / recorded)


if __name__ == "__main__":
    harness.main()
