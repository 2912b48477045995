"""Runs tlbench in a home of its own, where nothing may be left of it."""
import json
import math
import os
import shutil
import subprocess

import telemetry_harness as harness

TLBENCH = os.path.join(harness.BUILD, "tlbench")
NAMES = ["fast", "fast_2", "mid", "hard", "next", "nested8", "ids1000", "paused", "header_only", "cold_first"]


class BenchTest(harness.TelemetryTest):
    def setUp(self):
        super().setUp()
        self.scratch = os.path.join(self.home, "scratch")
        os.mkdir(self.scratch)

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [], "left in the temporary directory")
        super().tearDown()

    def bench_environment(self, extra=None):
        return {**self.environment(), "TMPDIR": self.scratch, **(extra or {})}

    def bench(self, *arguments, tool=TLBENCH, env=None):
        return subprocess.run([tool, *arguments], env=self.bench_environment(env), cwd=self.home, text=True,
                              capture_output=True, timeout=harness.SECONDS, check=False, stdin=subprocess.DEVNULL)

    def scope(self, *more, status=0, **how):
        """The cases of a short run, by name."""
        done = self.bench("scope", "--json", "--seconds", "1", *more, **how)
        self.assertEqual(done.returncode, status, done.stderr)
        document = json.loads(done.stdout)
        return document, {case["name"]: case for case in document["cases"]}, done.stderr

    def tool_beside(self, library_code=None):
        """A copy of the tool in a directory of its own, beside a libtelemetry.so that is made from this code."""
        place = os.path.join(self.home, "place")
        os.mkdir(place)
        tool = shutil.copy(TLBENCH, place)
        if library_code is not None:
            source = os.path.join(place, "library.c")
            with open(source, "w", encoding="utf-8") as file:
                file.write(library_code)
            built = subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-fPIC", "-shared", source, "-o",
                                    os.path.join(place, "libtelemetry.so")], capture_output=True, text=True,
                                   check=False)
            self.assertEqual((built.returncode, built.stderr), (0, ""))
        return tool

    def assert_positive(self, *numbers):
        for number in numbers:
            self.assertIsInstance(number, (int, float))
            self.assertTrue(math.isfinite(number) and number > 0, number)
