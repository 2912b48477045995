#!/usr/bin/env python3
"""The calls of the C ABI that do not record: pause and resume, flush, and the counts of a thread's allocations."""
import os
import subprocess
import time

import telemetry_harness as harness


class Pauses(harness.TelemetryTest):
    def paused(self, *arguments, env=None):
        done = self.run_program([harness.target("pauses"), *arguments], env=env)
        self.assertEqual((done.status, done.stderr), (0, b""))
        report = self.assert_whole(self.dumps()[0])
        self.forget_dumps()
        return done.stdout.split(), report

    def check(self, report, discarded):
        for name, count in {"pair": 10 + 5 + 3 + 3, "x": 0, "y": 0, "z": 0, "theirs": 1, "carried": 3}.items():
            row = report.scope(name)
            self.assertEqual((row["count"], row["mismatched"]), (count, 0), name)
            self.assertEqual((row["discarded"], row["unfinished"]), (discarded.get(name, 0), 0), name)
        self.assertEqual(next(p["count"] for p in report.json["pulses"] if p["thread"] == 0), 9 + 4 + 2)
        self.assertEqual(next(v["count"] for v in report.json["values"]), 10 + 5 + 3)
        self.assertEqual(len(report.json["marks"]), 3)

    def test_what_is_open_is_discarded_and_nothing_recorded(self):
        for env in ({}, {"TL_CLOCK": "os"}):
            stdout, report = self.paused(env=env)
            self.assertEqual(stdout, b"1 0 50 5000 1 0 50 5000 1".split())
            self.check(report, {"x": 1, "y": 1, "z": 1, "theirs": 1})

    def test_paused_at_the_end(self):
        stdout, report = self.paused("stay")
        self.assertEqual(stdout, b"1 0 50 5000 1 0 50 5000 1 0 50 5000".split())
        self.check(report, {"x": 2, "y": 1, "z": 1, "theirs": 1})

    def test_allocations_go_on(self):
        def calls(name):
            return report.calls[name]
        _, report = self.paused()
        two = calls("malloc"), calls("free"), report.json["allocations"]["bytes_requested"]
        _, report = self.paused("stay")  # 50 more, and nothing else that is not there twice
        self.assertEqual((calls("malloc") - two[0], calls("free") - two[1]), (50, 50))
        self.assertEqual(report.json["allocations"]["bytes_requested"] - two[2], 5000)

    def corner(self, what):
        self.assertEqual(self.run_program([harness.target("pause_corners"), what]).status, 0)
        row = self.one_report().scope("scope")
        self.forget_dumps()
        return row["count"], row["mismatched"], row["unfinished"], row["discarded"]

    def test_left_open_by_a_thread_that_ended_before(self):
        self.assertEqual({self.corner("ended") for _ in range(20)}, {(0, 0, 1, 0)})

    def test_begun_after_the_pause(self):
        self.assertEqual(self.corner("begun"), (0, 0, 1, 0))

    def test_end_without_begin_on_a_thread_born_after_the_pause(self):
        self.assertEqual(self.corner("born"), (0, 1, 0, 0))


class Flushes(harness.TelemetryTest):
    def flushed(self, each, **env):
        process = self.start([harness.target("flushes"), str(each)], env=env, stdin=-1)
        self.addCleanup(process.communicate)
        *results, longest = map(int, process.stdout.readline().split())
        return process, results, longest

    def test_everything_before_it_is_in_the_file(self):
        for each in (1, 1000, 50000):
            process, results, longest = self.flushed(each)
            self.assertEqual(results, [0] * 4)
            self.assertLess(longest, 1500)
            report = self.one_report()  # of the running program
            self.assertEqual((report.status, report.json["process"]["ended"]), (4, "running"))
            lost = report.json["losses"]["records"]
            self.assertEqual(report.scope("work")["count"] + lost, 4 * each)
            self.assertTrue(each > 1000 or lost == 0)
            _, stderr = process.communicate(b"\n")
            self.assertEqual((process.returncode, stderr), (0, b""))
            again = self.one_report()
            self.assertEqual(again.scope("work")["count"] + again.json["losses"]["records"], 4 * each)
            self.forget_dumps()

    def test_where_nothing_can_be_written(self):
        process, results, longest = self.flushed(1000, TL_OUTPUT=os.path.join(self.home, "none", "a.tl"))
        self.assertEqual(results, [-1] * 4)
        self.assertTrue(900 <= longest <= 2500, longest)
        before = time.monotonic()
        _, stderr = process.communicate(b"\n")
        self.assertEqual(process.returncode, 0)
        self.assertLess(time.monotonic() - before, 3)
        self.assertEqual(stderr.count(b"\n"), 1)
        self.assertIn(b"TL_OUTPUT", stderr)
        for path in self.left_in_memory():  # it waits for a place to be written to
            os.remove(path)

    def test_where_the_dump_is_full(self):
        process, results, _ = self.flushed(50000, TL_SIZE="65536")
        asked = subprocess.run([harness.TLRUN, "--control", str(process.pid), "flush"], capture_output=True, check=False)
        process.communicate(b"\n")
        self.assertEqual(results, [-1] * 4)
        self.assertEqual(asked.returncode, 125)
        self.assertIn(b"its dump cannot be written", asked.stderr)
        report = self.one_report()
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["by_cause"]["disk_full"], 200000)

    def test_without_records(self):
        for env in ({}, {"TL_DISABLE": "1"}):
            process, results, longest = self.flushed(0, **env)
            process.communicate(b"\n")
            self.assertLess(longest, 100)
            self.assertEqual(set(results), {-1} if env else {0}, env)  # off it writes nothing, and says so


class ThreadAllocations(harness.TelemetryTest):
    def answers(self, mode="preload", **env):
        done = self.run_program([harness.target("own_allocations")], mode, env=env)
        self.assertEqual((done.status, done.stderr), (0, b""))
        _, sizes, *counts = done.stdout.decode().splitlines()
        self.assertEqual(set(sizes.split()), {"-1"})  # of sizes too small, and of null, and nothing is changed
        return counts

    def test_what_the_thread_itself_made(self):
        for env in ({}, {"TL_ALLOC": "time"}, {"TL_CLOCK": "os"}):
            counts = self.answers(**env)
            self.assertEqual([line.split()[0] for line in counts], ["6000", "60", "120"])
            for line in counts:
                counted, made = line.split(" of ")
                self.assertEqual(counted, made)
            self.assertEqual(self.one_report().thread(2)["allocations"], 120)
            self.forget_dumps()

    def test_where_they_cannot_be_told(self):
        for counts in (self.answers("plain"), self.answers(TL_ALLOC="off"), self.answers(TL_DISABLE="1")):
            self.assertEqual(counts, ["-1"] * 3)


if __name__ == "__main__":
    harness.main()
