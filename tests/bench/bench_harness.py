"""Runs tlbench in a home of its own, where nothing may be left of it."""
import json
import math
import os
import shutil
import subprocess

import telemetry_harness as harness

TLBENCH = os.path.join(harness.BUILD, "tlbench")
NAMES = {"scope": ["fast", "fast_2", "mid", "hard", "next", "nested8", "ids1000", "paused", "header_only", "cold_first"],
         "malloc": ["count", "count_2", "time", *(f"{mode}/{program}" for mode in ("count", "time")
                                                  for program in ("sqlite", "perl", "python", "cc1plus"))],
         "drain": ["flat_out", "flat_out_2", "burst", "stages", "ids1000", "encode", "encode_baseline"]}


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

    def suite(self, name, *more, status=0, **how):
        """The cases of a short run, by name."""
        done = self.bench(name, "--json", "--seconds", "1", *more, **how)
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

    STAND_IN = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/sendfile.h>
unsigned tl_scope_register(const char* name) { return name != 0; }
const char* tl_version(void) { return "stand-in"; }
void tl_scope_begin(unsigned id) { TAKE }
void tl_scope_end(unsigned id) { }
__attribute__((destructor)) static void leave_dump(void) {
  const int from = open("DUMP", O_RDONLY), to = open(getenv("TL_OUTPUT"), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (from >= 0) sendfile(to, from, 0, 1 << 30);
}
"""

    def stand_in(self, take="", dump="/nowhere", later=""):
        """The tool beside a library that records nothing; a call of it takes that, and the dump that it leaves is a copy."""
        return self.tool_beside((self.STAND_IN + later).replace("TAKE", take).replace("DUMP", dump))

    def dump_of_another(self):
        """A dump that was made before, and the scopes in it."""
        self.run_program([harness.target("ends"), "return"])
        report = self.one_report()
        recorded = sum(scope["count"] for scope in report.json["scopes"] if scope["thread"] is None)
        self.assertGreater(recorded, 0)
        return self.dumps()[0], recorded

    def assert_positive(self, *numbers):
        for number in numbers:
            self.assertIsInstance(number, (int, float))
            self.assertTrue(math.isfinite(number) and number > 0, number)
