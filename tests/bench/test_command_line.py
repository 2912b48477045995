#!/usr/bin/env python3
"""tlbench: what it accepts, what it says to the rest, and what it leaves when it is stopped."""
import json
import os
import signal
import subprocess
import time

import bench_harness as bench
import telemetry_harness as harness

WRONG = [[], ["nonsense"], ["scope", "all"], ["scope", "--nonsense"], ["scope", "--seconds", "0"], ["scope", "--seconds", "0.5"],
         ["scope", "--seconds", "-3"], ["scope", "--seconds", "nan"], ["scope", "--seconds", "inf"], ["scope", "--seconds", "1e9"],
         ["scope", "--seconds", "1x"], ["scope", "--seconds", "1.2.3"], ["scope", "--seconds", ""], ["scope", "--seconds"],
         ["scope", "--seconds", "3601"], ["scope", "--cpus", "x"], ["scope", "--cpus", ""], ["scope", "--cpus", "0,"],
         ["scope", "--cpus", "8191"], ["scope", "--cpus", "1-0"], ["scope", "--csv"]]


class CommandLine(bench.BenchTest):
    def test_wrong_usage(self):
        for arguments in WRONG:
            with self.subTest(arguments):
                done = self.bench(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertTrue(done.stderr.startswith("tlbench: "), done.stderr)
                for given in arguments[1:]:
                    if given.startswith("--"):
                        self.assertIn(given, done.stderr)

    def test_later_suites(self):
        for suite in ("report", "startup"):
            done = self.bench(suite, "--json")
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1))
            for word in (suite, "not available in version", "scope", "malloc", "drain"):
                self.assertIn(word, done.stderr)

    def test_help_and_version(self):
        done = self.bench("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("usage: tlbench", "--json", "--seconds", "--cpus", "Exit status"):
            self.assertIn(word, done.stdout)
        done = self.bench("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^tlbench \d+\.\d+\.\d+\n$")

    def test_all(self):
        done = self.bench("all", "--seconds", "1", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads(done.stdout)
        names = {each["bench"]: [case["name"] for case in each["cases"]] for each in document["benches"]}
        self.assertEqual((names, list(names)), (bench.NAMES, list(bench.NAMES)))

    def test_text(self):
        for suite, names in bench.NAMES.items():
            done = self.bench(suite, "--seconds", "1")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = done.stdout.splitlines()
            self.assertTrue(lines[0].startswith("Machine: "))
            self.assertIn("Linux " + os.uname().release, lines[0])
            self.assertIn("on CPU" if suite == "malloc" else "not pinned", lines[1])
            for name in names:
                self.assertEqual(len([line for line in lines if line.split()[:1] == [name]]), 1, name)
            self.assertEqual(len([line for line in lines if line.startswith("Lost: ")]), 1)
            narrow = self.bench(suite, "--seconds", "1", env={"COLUMNS": "72"})
            self.assertLessEqual(max(map(len, narrow.stdout.splitlines())), 72, narrow.stdout)

    def test_stopped(self):
        """Wherever it is, it ends of the signal and leaves neither files nor shared memory nor processes (tearDown)."""
        for suite, number, after in (("scope", signal.SIGTERM, 0.3), ("scope", signal.SIGHUP, 0.02),
                                     ("scope", signal.SIGINT, 1.0), ("malloc", signal.SIGTERM, 0.05),
                                     ("malloc", signal.SIGINT, 1.0), ("malloc", signal.SIGTERM, 14.0),
                                     ("drain", signal.SIGTERM, 1.0)):
            process = subprocess.Popen([bench.TLBENCH, suite, "--seconds", "60"], env=self.bench_environment(),
                                       cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            time.sleep(after)
            process.send_signal(number)
            stdout, stderr = process.communicate(timeout=harness.SECONDS)
            self.assertEqual((process.returncode, stdout, stderr), (-number, b"", b""))

    def test_without_a_library(self):
        done = self.bench("scope", "--seconds", "1", tool=self.tool_beside())
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (3, "", 1))
        self.assertIn("libtelemetry.so is neither beside this tool", done.stderr)

    def test_nowhere_to_write(self):
        done = self.bench("scope", "--seconds", "1", env={"TMPDIR": "/nowhere"})
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (3, "", 1))
        self.assertIn("/nowhere", done.stderr)


if __name__ == "__main__":
    harness.main()
