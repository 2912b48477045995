#!/usr/bin/env python3
"""Case C5: every way to end. What passes through libc leaves a closed dump; what does not leaves every finished record."""
import os
import signal
import subprocess

import telemetry_harness as harness

CLEAN = {"return": (2, "exit"), "exit": (3, "exit"), "quick_exit": (4, "exit"), "_exit": (5, "exit"), "_Exit": (6, "exit"),
         "execve": (0, "exec")}
HARD = {"exit_group": 7, "abort": -signal.SIGABRT, "SIGTERM": -signal.SIGTERM, "SIGINT": -signal.SIGINT,
        "SIGSEGV": -signal.SIGSEGV, "SIGKILL": -signal.SIGKILL}


class Ends(harness.TelemetryTest):
    def ended(self, way, status, mode):
        fixed = os.path.join(self.dumps_in, f"ends.{mode}.{way}.tl")
        done = self.run_program([harness.target("ends"), way], mode, env={"TL_OUTPUT": fixed})
        self.assertEqual((done.status, done.stdout, done.stderr), (status, b"worked\n", b""), (way, mode))
        if mode == "plain":
            return None
        report = self.report(fixed)
        self.assertEqual(report.scope("work")["count"], 1000, (way, mode))
        self.assertEqual(report.json["losses"]["records"], 0)
        self.assertEqual(report.json["process"]["program"], "ends")
        return report

    def clean(self, way):
        status, end = CLEAN[way]
        for mode in harness.MODES:
            report = self.ended(way, status, mode)
            if report:
                self.assertEqual((report.status, report.json["process"]["ended"], report.json["file"]["complete"]),
                                 (0, end, True), mode)

    def hard(self, way):
        status = HARD[way]
        self.ended(way, status, "plain")
        under = self.ended(way, status, "tlrun")  # it wrote what was left
        self.assertEqual(under.json["process"]["ended"], "signal" if status < 0 else "killed")
        bare = self.ended(way, status, "preload")  # tlreport takes it from shared memory
        self.assertEqual(bare.json["process"]["ended"], "killed")
        self.assertEqual(self.left_in_memory(), [])
        again = self.report(os.path.join(self.dumps_in, f"ends.preload.{way}.tl"))
        self.assertEqual(again.json["scopes"], bare.json["scopes"])

    def test_return(self):
        self.clean("return")

    def test_exit(self):
        self.clean("exit")

    def test_quick_exit(self):
        self.clean("quick_exit")

    def test_underscore_exit(self):
        self.clean("_exit")

    def test_capital_exit(self):
        self.clean("_Exit")

    def test_execve(self):
        self.clean("execve")

    def test_exit_group(self):
        self.hard("exit_group")

    def test_abort(self):
        self.hard("abort")

    def test_sigterm(self):
        self.hard("SIGTERM")

    def test_sigint(self):
        self.hard("SIGINT")

    def test_sigsegv(self):
        self.hard("SIGSEGV")

    def test_sigkill(self):
        self.hard("SIGKILL")

    def test_killed_without_a_scope(self):
        """No ring, no drain and no file at the time of death: the report comes from shared memory alone."""
        fixed = os.path.join(self.dumps_in, "counts.tl")
        process = self.start([harness.target("signalled")], env={"TL_OUTPUT": fixed})
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.assertFalse(os.path.exists(fixed))
        process.kill()
        process.communicate()
        report = self.report(fixed)
        self.assertEqual((report.json["process"]["ended"], report.json["process"]["pid"]), ("killed", process.pid))
        self.assertGreater(report.calls["malloc"], 0)
        self.assertEqual(self.left_in_memory(), [])

    def test_a_living_process_is_not_touched(self):
        fixed = os.path.join(self.dumps_in, "alive.tl")
        process = self.start([harness.target("signalled")], env={"TL_OUTPUT": fixed})
        self.assertEqual(process.stdout.readline(), b"ready\n")
        self.assertEqual(len(self.left_in_memory()), 1)
        self.run_program([harness.target("hello")])  # another run, which looks for what the dead left
        subprocess.run([harness.TLREPORT, fixed], capture_output=True, check=False, timeout=20)
        self.assertEqual(len(self.left_in_memory()), 1)
        process.terminate()
        process.communicate()
        self.assertEqual(process.returncode, 21)
        self.assert_whole(fixed)

    def test_next_run_writes_what_was_left(self):
        """The next run by tlrun, or of any program that lives for a second and records."""
        for mode, command in (("tlrun", [harness.target("hello")]),
                              ("preload", [harness.target("paced"), "1", "30", "10", "50000"])):
            fixed = os.path.join(self.dumps_in, f"left.{mode}.tl")
            killed = self.run_program([harness.target("ends"), "SIGKILL"], env={"TL_OUTPUT": fixed})
            self.assertEqual(killed.status, -signal.SIGKILL)
            self.assertEqual(len(self.left_in_memory()), 1)
            self.run_program(command, mode)
            self.assertEqual(self.left_in_memory(), [])
            report = self.report(fixed)
            self.assertEqual((report.scope("work")["count"], report.json["process"]["ended"]), (1000, "killed"))


if __name__ == "__main__":
    harness.main()
