#!/usr/bin/env python3
"""Ends that come in an odd way, and under threads that go on: what was recorded is in the report, to the last call."""
import os
import signal
import struct

import telemetry_harness as harness

BREATHS = {"fault_on_another_stack": (-signal.SIGSEGV, "killed"), "overflow": (signal.SIGSEGV, "exit"), "destructors": (4, "exit"),
           "detached": (5, "exit"), "exit_on_a_thread": (9, "exit"), "main_leaves": (0, "exit"), "cancelled_main": (0, "exit")}
ENDS = {"_exit": 5, "exit": 3, "quick_exit": 4, "exit_group": 7, "execve": 0, "failed_exec": 6, "pthread_exit": -signal.SIGALRM,
        "abort": -signal.SIGABRT, "SIGKILL": -signal.SIGKILL}


class LastBreath(harness.TelemetryTest):
    def breathe(self, way):
        status, ended = BREATHS[way]
        for mode in harness.MODES:
            output = os.path.join(self.dumps_in, f"{way}.{mode}.tl")
            done = self.run_program([harness.target("last_breath"), way], mode, env={"TL_OUTPUT": output})
            self.assertEqual((done.status, done.stderr), (status, b""), mode)
            if mode == "plain":
                continue
            report = self.report(output)
            self.assertEqual(report.scope("work")["count"], int(done.stdout), mode)
            self.assertEqual(report.json["losses"]["records"], 0, mode)
            # Of the thread that the main thread was, where it has left by itself: its scope never ended either.
            self.assertEqual((report.scope("open")["count"], report.scope("open")["unfinished"]), (0, 1), mode)
            expected = "signal" if ended == "killed" and mode == "tlrun" else ended
            self.assertEqual(report.json["process"]["ended"], expected, mode)

    def test_fault_on_another_stack(self):
        self.breathe("fault_on_another_stack")

    def test_overflow(self):
        self.breathe("overflow")

    def test_destructors(self):
        self.breathe("destructors")

    def test_detached(self):
        self.breathe("detached")

    def test_exit_on_a_thread(self):
        self.breathe("exit_on_a_thread")

    def test_main_leaves(self):
        self.breathe("main_leaves")

    def test_cancelled_main(self):
        self.breathe("cancelled_main")


class UnderWay(harness.TelemetryTest):
    """Threads record flat out as the process ends. Each counts its finished pairs in a file; recorded and lost ones are as
    many, but for a pair that may have been finished and not counted yet."""

    def end_under_way(self, way, threads):
        output = os.path.join(self.dumps_in, f"{way}.{threads}.tl")
        counts = os.path.join(self.home, f"counts.{threads}")
        done = self.run_program([harness.target("flat_out"), way, str(threads), "0.1", counts], env={"TL_OUTPUT": output})
        self.assertEqual((done.status, done.stdout, done.stderr), (ENDS[way], b"ready\n", b""))
        with open(counts, "rb") as file:
            made = struct.unpack(f"{threads * 8}Q", file.read(threads * 64))[::8]
        report = self.report(output)
        for serial in range(1, threads + 1):
            thread = report.thread(serial)
            beyond = thread["scopes"] + thread["lost"] - made[serial - 1]
            self.assertIn(beyond, (0, 1), (way, serial, thread, made))
        self.assertGreater(sum(made), 10000)

    def check(self, way):
        for threads in (1, 4):
            self.end_under_way(way, threads)

    def test_underscore_exit(self):
        self.check("_exit")

    def test_exit(self):
        self.check("exit")

    def test_quick_exit(self):
        self.check("quick_exit")

    def test_exit_group(self):
        self.check("exit_group")

    def test_execve(self):
        self.check("execve")

    def test_failed_exec(self):
        self.check("failed_exec")

    def test_pthread_exit(self):
        self.check("pthread_exit")

    def test_abort(self):
        self.check("abort")

    def test_sigkill(self):
        self.check("SIGKILL")


if __name__ == "__main__":
    harness.main()
