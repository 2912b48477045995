#!/usr/bin/env python3
"""Case C10: a machine whose kernel does not trust the time stamp counter. The program runs as ever, on another clock."""
import os
import subprocess
import unittest

import telemetry_harness as harness

CURRENT = "/sys/devices/system/clocksource/clocksource0/current_clocksource"


def can_pretend():
    """Whether a mount namespace of our own, with another file in place of the kernel's, can be had."""
    done = subprocess.run(["unshare", "-m", "mount", "--bind", "/dev/null", CURRENT], capture_output=True, check=False)
    return done.returncode == 0


class ClockChoice(harness.TelemetryTest):
    def on(self, source, name, *arguments, env=None):
        """The program, where the kernel says that its clock source is another one."""
        path = os.path.join(self.home, "clocksource")
        with open(path, "w") as file:
            file.write(source + "\n")
        env = self.environment({"PROGRAM": harness.target(name), "LIBRARY": harness.LIBRARY, **(env or {})})
        done = subprocess.run(["unshare", "-m", "sh", "-c",
                               f"mount --bind {path} {CURRENT} && LD_PRELOAD=$LIBRARY exec $PROGRAM \"$@\"", "sh", *arguments],
                              env=env, cwd=self.home, capture_output=True, timeout=harness.SECONDS, check=False)
        dumps = self.dumps(name)
        report = self.assert_whole(dumps[0])
        for dump in self.dumps():
            os.remove(dump)
        return done, report

    def check_told(self, report, why):
        clock = report.json["clock"]
        self.assertEqual((clock["source"], clock["ticks_per_ns"], clock["anomalies"]), ("clock_gettime", 1, 0))
        told = [warning["text"] for warning in report.json["warnings"] if warning["code"] == "clock"]
        self.assertEqual(len(told), 1, report.json["warnings"])
        self.assertIn(why, told[0])
        self.assertIn("clock_gettime", told[0])

    @unittest.skipUnless(can_pretend(), "no mount namespace of our own, or no such file")
    def test_kernel_does_not_trust_it(self):
        plain = self.run_program([harness.target("nested_times")], "plain")
        self.assertEqual((plain.status, plain.stderr), (0, b""))
        for source in ("hpet", "acpi_pm"):
            done, report = self.on(source, "nested_times")
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.check_told(report, "clocksource")
            for line in done.stdout.decode().splitlines():
                name, least, most, count = line.split()
                self.assertEqual(report.scope(name)["count"], int(count))
                self.assertTrue(int(least) - 10 <= report.scope(name)["total_ns"] <= int(most) + 10, line)

    @unittest.skipUnless(can_pretend(), "no mount namespace of our own, or no such file")
    def test_kernel_trusts_it(self):
        _, report = self.on("tsc", "nested_times")  # else the test above shows nothing
        self.assertEqual((report.json["clock"]["source"], report.json["warnings"]), ("tsc", []))

    @unittest.skipUnless(can_pretend(), "no mount namespace of our own, or no such file")
    def test_its_cost_is_measured(self):
        done, report = self.on("hpet", "empty_scopes", "10000", "2")
        self.assertEqual(done.returncode, 0)
        cost, empty = report.json["cost"], report.scope("empty")
        self.assertGreaterEqual(cost["timer_step"], int(done.stdout))  # of the clock, in whole ns
        self.assertTrue(all(pair["p50"] > 0 and pair["samples"] > 0 for pair in cost["pairs"].values()))
        fast = cost["pairs"]["fast_fast"]
        self.assertTrue(fast["min"] <= empty["latency_ns"]["p50"] <= fast["max"], (fast, empty))

    def test_asked_for(self):
        outcomes = self.same_everywhere([harness.target("sequence")], env={"TL_CLOCK": "os"})
        self.assertEqual(outcomes["plain"].status, 0)
        for dump in self.dumps():
            report = self.report(dump)
            self.assertEqual((report.json["clock"]["source"], report.json["clock"]["ticks_per_ns"]), ("clock_gettime", 1))
            self.assertGreaterEqual(report.json["cost"]["timer_step"], 1)
            shown = subprocess.run([harness.TLREPORT, dump], capture_output=True, check=True).stdout
            self.assertIn(b"clock_gettime", shown)

    def test_wrong_value(self):
        done = self.run_program([harness.target("sequence")], env={"TL_CLOCK": "hpet"})
        self.assertEqual((done.status, done.stderr.count(b"\n")), (0, 1))
        self.assertIn(b"TL_CLOCK", done.stderr)
        self.assertEqual(self.one_report().json["clock"]["source"], "tsc")


if __name__ == "__main__":
    harness.main()
