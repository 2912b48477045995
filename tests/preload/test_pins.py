#!/usr/bin/env python3
"""TL_PIN by number and by name, and names that threads get later."""
import os

import telemetry_harness as harness

ALLOWED = sorted(os.sched_getaffinity(0))


class Pins(harness.TelemetryTest):
    def cpus(self, pins):
        """What targets/pinned.c prints: {(thread, "born" or "named"): CPUs}; and the report."""
        done = self.run_program([harness.target("pinned")], env={"TL_PIN": pins} if pins else {})
        self.assertEqual((done.status, done.stderr), (0, b""))
        lines = [line.split() for line in done.stdout.decode().splitlines()]
        report = self.one_report()
        self.forget_dumps()
        return {(int(n), when.rstrip(":")): [int(c) for c in cpus] for n, when, *cpus in lines}, report

    def setUp(self):
        super().setUp()
        if len(ALLOWED) < 2:
            self.skipTest("needs two CPUs")

    def test_nothing_asked(self):
        cpus, report = self.cpus("")
        self.assertTrue(all(each == ALLOWED for each in cpus.values()))
        self.assertEqual([t["name"] for t in report.json["threads"]], ["pinned", "feed", "parser", "writer"])

    def test_by_number(self):
        first, second = ALLOWED[:2]
        cpus, report = self.cpus(f"#0={first},#2={second}")
        self.assertEqual(cpus[0, "born"], [first])
        self.assertEqual(cpus[2, "born"], [second])
        self.assertEqual(cpus[2, "named"], [second])
        self.assertEqual(report.thread(2)["pin"], {"asked": str(second), "applied": str(second), "error": None})

    def test_by_name_set_later(self):
        first, second = ALLOWED[:2]
        cpus, report = self.cpus(f"par*={second},writer={first}")
        self.assertEqual(cpus[1, "named"], ALLOWED)
        self.assertEqual(cpus[2, "born"], ALLOWED)
        self.assertEqual(cpus[2, "named"], [second])
        self.assertEqual(cpus[3, "named"], [first])  # named by prctl, of itself
        self.assertEqual(report.thread(2)["pin"]["applied"], str(second))

    def test_first_match_counts(self):
        first, second = ALLOWED[:2]
        cpus, _ = self.cpus(f"feed={first},f*={second},*={first}-{second}")
        self.assertEqual(cpus[1, "named"], [first])

    def test_escaped_pattern(self):
        cpus, _ = self.cpus(rf"fee\d={ALLOWED[1]},par\*={ALLOWED[0]}")
        self.assertEqual(cpus[1, "named"], [ALLOWED[1]])
        self.assertEqual(cpus[2, "named"], ALLOWED)

    def test_a_cpu_that_is_not_there(self):
        missing = max(ALLOWED) + 100
        cpus, report = self.cpus(f"#1={missing}")
        self.assertEqual(cpus[1, "named"], ALLOWED)
        pin = report.thread(1)["pin"]
        self.assertEqual(pin["asked"], str(missing))
        self.assertTrue(pin["error"])
        self.assertTrue(report.json["warnings"])


if __name__ == "__main__":
    harness.main()
