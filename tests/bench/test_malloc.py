#!/usr/bin/env python3
"""tlbench malloc: every call is counted, what it says moves with what it measures, and what is missing is told. No time is
judged: the machine may be busy."""
import os
import shutil

import bench_harness as bench
import telemetry_harness as harness

KEYS = ("name", "reference", "threads", "ns", "reference_ns", "p50_ns", "p99_ns", "ratio", "lost", "limit", "begun", "recorded",
        "why_not")
REFERENCES = {"count": "forwarder", "count_2": "forwarder_2", "time": "forwarder"}
LIMITS = {"count": 1.03, "count_2": 1.03, "time": None}
FORWARDER = os.path.join(harness.BUILD, "tlbench_forwarder.so")
# In front of libc as the library is, and slow where it is told to be; it counts nothing.
ALLOCATOR = """
void* __libc_malloc(size_t);
void* malloc(size_t bytes) { TAKE return __libc_malloc(bytes); }
"""


def programs(cases):
    return {name: case for name, case in cases.items() if "/" in name}


class Malloc(bench.BenchTest):
    def malloc(self, *more, **how):
        return self.suite("malloc", *more, **how)

    def nowhere(self):
        """A PATH with a shell and nothing else."""
        place = os.path.join(self.home, "path")
        os.mkdir(place)
        os.symlink("/bin/sh", os.path.join(place, "sh"))
        return {"PATH": place}

    def test_document(self):
        document, cases, stderr = self.malloc()
        self.assertEqual(stderr, "")
        self.assertEqual((document["schema"], document["bench"]), (1, "malloc"))
        self.assertEqual([case["name"] for case in document["cases"]], bench.NAMES["malloc"])
        self.assertEqual(document["not_available"], ["sampled", "every_stack"])
        self.assertEqual(document["pinned_to"], sorted(os.sched_getaffinity(0))[:2])
        self.assertRegex(document["library"]["version"], r"^\d+\.\d+\.\d+$")
        for name, case in cases.items():
            with self.subTest(name):
                self.assertEqual([key for key in KEYS if key not in case], [])
                self.assertEqual(case["reference"], REFERENCES.get(name, "without"))
                self.assertEqual(case["threads"], 2 if name == "count_2" else 1)
                if case["why_not"] is not None:
                    self.assertIn("/", name)
                    self.assertIn("is not installed", case["why_not"])
                    continue
                self.assert_positive(case["ns"], case["reference_ns"], case["ratio"], case["cpu_ratio"], case["pairs"])
                self.assertEqual(case["lost"], 0)
                self.assertGreater(case["recorded"], 10000)
                if name in REFERENCES:
                    self.check_loop(name, case)
                else:
                    self.check_program(name, case)

    def check_loop(self, name, case):
        self.assert_positive(case["floor_ns"], case["p50_ns"], case["p99_ns"])
        self.assertEqual(case["limit"]["ratio"], LIMITS[name])
        self.assertEqual(case["begun"], case["recorded"])
        self.assertEqual(case["clock"], "thread_cpu" if name == "count_2" else "wall")
        # Two calls an operation: those of the pairs, and of trials.
        self.assertGreater(case["begun"], 2 * case["threads"] * case["pairs"] * case["slice_operations"])

    def check_program(self, name, case):
        self.assertEqual(case["limit"]["ratio"], 1.02 if name.startswith("count/") else 1.10)
        for key in ("begun", "p50_ns", "p99_ns", "floor_ns"):
            self.assertIsNone(case[key], key)
        self.assertGreater(case["ns"], 10e6)

    def test_programs_that_are_missing(self):
        _, cases, stderr = self.malloc(env=self.nowhere())
        self.assertEqual(stderr, "")
        for name, case in programs(cases).items():
            self.assertRegex(case["why_not"], f"^{name.split('/')[1]}3? is not installed$")
            for key in ("ns", "reference_ns", "ratio", "lost", "recorded", "begun"):
                self.assertIsNone(case[key], key)
        self.assert_positive(cases["count"]["ns"])
        done = self.bench("malloc", "--seconds", "1", env={"PATH": os.path.join(self.home, "path")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\ncount/perl: perl is not installed\n", done.stdout)
        self.assertIn("\nNot available in version 0.1.0: sampled, every_stack\n", done.stdout)

    def test_pinned(self):
        cpu = max(os.sched_getaffinity(0))
        document, cases, _ = self.malloc("--cpus", str(cpu), env=self.nowhere())
        self.assertEqual(document["pinned_to"], [cpu])
        for name in REFERENCES:
            self.assertEqual(cases[name]["begun"], cases[name]["recorded"])

    def stand_in_allocator(self, take, dump="/nowhere"):
        tool = self.tool_beside((self.STAND_IN + ALLOCATOR).replace("TAKE", take).replace("DUMP", dump))
        shutil.copy(FORWARDER, os.path.dirname(tool))
        return tool

    def test_ratios_follow_what_a_call_takes(self):
        tool = self.stand_in_allocator("for (volatile int i = 0; i < 300; ++i);")
        document, cases, stderr = self.malloc(tool=tool, env=self.nowhere(), status=1)  # for want of a dump
        self.assertEqual(document["library"]["version"], "stand-in")
        self.assertIn("case count: cannot read", stderr)
        for name in REFERENCES:
            self.assertGreater(cases[name]["cpu_ratio"], 3)
            self.assertGreater(cases[name]["floor_ratio"], 3)
            self.assertIsNone(cases[name]["lost"])

    def test_calls_that_are_missing_are_not_passed_over(self):
        dump, _ = self.dump_of_another()
        _, cases, stderr = self.malloc(tool=self.stand_in_allocator(";", dump), env=self.nowhere(), status=1)
        for name in REFERENCES:
            self.assertNotEqual(cases[name]["recorded"], cases[name]["begun"])
            self.assertIn(f"case {name}: {cases[name]['begun']} calls were made, but the dump counts {cases[name]['recorded']}",
                          stderr)

    def test_without_a_forwarder(self):
        tool = self.tool_beside()
        shutil.copy(harness.LIBRARY, os.path.dirname(tool))
        _, cases, _ = self.malloc(tool=tool, env=self.nowhere())
        for name in REFERENCES:
            self.assertEqual(cases[name]["why_not"], "tlbench_forwarder.so is not beside this tool")
            self.assertIsNone(cases[name]["ratio"])


if __name__ == "__main__":
    harness.main()
