#!/usr/bin/env python3
"""Exact counts: allocation calls by call and thread, scopes by thread."""
import resource
import subprocess
import time

import telemetry_harness as harness

# What one round of targets/known_calls.c makes of each call.
ROUND = {"malloc": 2, "realloc": 1, "calloc": 1, "reallocarray": 1, "aligned_alloc": 1, "posix_memalign": 1, "memalign": 1,
         "valloc": 1, "pvalloc": 1, "free": 9}
BYTES = 10 + 1000 + 300 + 63 + 640 + 100 + 5 + 100000 + 1 + (1 << 20)
MAKES_BLOCK = sum(n for call, n in ROUND.items() if call != "free")


class Allocations(harness.TelemetryTest):
    def counted(self, rounds, **env):
        self.assertEqual(self.run_program([harness.target("known_calls"), str(rounds)], env=env).status, 0)
        report = self.one_report()
        self.forget_dumps()
        return report

    def check(self, **env):
        nothing, some = self.counted(0, **env), self.counted(1000, **env)
        for call, n in ROUND.items():  # main, and threads that do it once, twice and three times
            self.assertEqual(some.calls[call] - nothing.calls[call], n * 7000, call)
        self.assertEqual(some.json["allocations"]["bytes_requested"] - nothing.json["allocations"]["bytes_requested"], BYTES * 7000)
        self.assertEqual(some.json["allocations"]["failed"], 0)
        self.assertEqual([t["serial"] for t in some.json["threads"]], [0, 1, 2, 3])
        for serial, times in ((0, 1), (1, 1), (2, 2), (3, 3)):
            self.assertEqual(some.thread(serial)["allocations"] - nothing.thread(serial)["allocations"],
                             times * 1000 * MAKES_BLOCK, serial)
        for serial in (1, 2, 3):
            self.assertEqual(nothing.thread(serial)["allocations"], 0, serial)
        return some

    def test_by_call_and_thread(self):
        self.check()

    def test_by_call_and_thread_with_time(self):
        report = self.check(TL_ALLOC="time")
        for call in ROUND:
            timed = sum(row["count"] for row in report.json["allocations"]["latency"] if row["call"] == call)
            self.assertEqual(timed, report.calls[call], call)

    def test_off_counts_nothing(self):
        self.assertEqual(self.run_program([harness.target("known_calls"), "10"], env={"TL_ALLOC": "off"}).status, 0)
        self.assertEqual(self.dumps(), [])


class InScopes(harness.TelemetryTest):
    """By runs of targets/scope_allocations.c: of all its rounds a tenth ask in `inner`."""

    def check(self, rounds, serial=None, **env):
        report = self.one_report()
        tenth = sum((n + 9) // 10 for n in rounds)
        rounds = sum(rounds)

        def row(name):
            scope = report.scope(name, serial)
            allocations = scope["allocations"]
            self.assertGreaterEqual(allocations["ns"], allocations["count"])  # a call takes a nanosecond at least
            return scope["count"], allocations["count"], allocations["self_count"], allocations["bytes"], allocations["scopes_with"]

        self.assertEqual(row("outer"), (2 * rounds, 2 * rounds + tenth, 2 * rounds, 3100 * rounds + 50 * tenth, rounds))
        self.assertEqual(row("inner"), (2 * rounds, tenth + rounds, tenth + rounds, 50 * tenth + 5 * rounds, tenth + rounds))
        self.assertEqual(row("none"), (rounds, 0, 0, 0, 0))
        self.assertEqual(row("again"), (2 * rounds, 2 * rounds, 2 * rounds, 600 * rounds, 2 * rounds))
        self.assertEqual(row("first"), (2 * rounds, rounds, rounds, 20 * rounds, rounds))
        self.assertEqual(row("second"), (rounds, rounds, rounds, rounds, rounds))
        self.assertEqual(row("deep"), (40 * rounds, 80 * rounds, 80 * rounds, 720 * rounds, 40 * rounds))
        self.assertEqual(report.scope("deep", serial)["allocations"]["per_scope"]["max"], 80)
        of_runs = report.scope("outer", serial)["allocations"]["per_scope"]
        self.assertEqual((of_runs["p50"], of_runs["max"]), (0, 3))
        self.assertEqual(report.scope("none", serial)["allocations"]["per_scope"], {"p50": 0, "p99": 0, "max": 0})
        self.assertEqual(report.scope("first", serial)["response_count"], rounds)
        return report

    def test_by_scope_and_thread(self):
        for env in ({}, {"TL_ALLOC": "time"}, {"TL_CLOCK": "os"}):
            with self.subTest(env):
                done = self.run_program([harness.target("scope_allocations"), "1000"], env=env)
                self.assertEqual((done.status, done.stderr), (0, b""))
                self.check([1000, 500])
                self.check([1000], 0)
                report = self.check([500], 1)
                calls = report.calls["malloc"]  # in scopes or not
                self.forget_dumps()
                self.run_program([harness.target("scope_allocations"), "0"], env=env)
                self.assertEqual(calls - self.one_report().calls["malloc"], (7 + 80) * 1500 + 150)
                self.forget_dumps()

    def test_not_counted_is_not_zero(self):
        self.run_program([harness.target("scope_allocations"), "10"], env={"TL_ALLOC": "off"})
        self.assertIsNone(self.one_report().scope("outer")["allocations"])


class Refused(harness.TelemetryTest):
    """Where the kernel may refuse even a little, small requests that fail are counted as such, however the limit came."""

    def check(self, process):
        out, err = process.communicate(timeout=harness.SECONDS)
        self.assertEqual((process.returncode, err), (0, b""))
        got, failed = map(int, out.split())
        self.assertGreater(got, 1000)
        allocations = self.one_report().json["allocations"]
        self.assertEqual(allocations["failed"], failed)
        self.assertGreaterEqual(allocations["calls"]["malloc"], got + failed)
        few = allocations["calls"]["malloc"] - got - failed  # of libc's
        self.assertLess(few, 10)
        self.assertLessEqual(abs(allocations["bytes_requested"] - 1000 * got), 10000)

    def test_limits_that_the_program_sets(self):
        for how in ("setrlimit", "data", "prlimit", "syscall", "mlockall"):
            with self.subTest(how):
                self.check(self.start([harness.target("refused"), how]))
                self.forget_dumps()

    def test_a_limit_from_the_start(self):
        self.check(self.start(["sh", "-c", f"ulimit -v 262144; exec {harness.target('refused')} inherited"], env={"TL_ONLY": "refused"}))

    def test_a_limit_that_another_process_sets(self):
        """The drain looks for it once a second."""
        process = self.start([harness.target("refused"), "asked"], stdin=subprocess.PIPE)
        time.sleep(0.3)
        resource.prlimit(process.pid, resource.RLIMIT_AS, (256 << 20, 256 << 20))
        time.sleep(2.5)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.check(process)


class Scopes(harness.TelemetryTest):
    def check(self, each, **env):
        outcome = self.run_program([harness.target("four_threads"), str(each)], env=env)
        self.assertEqual((outcome.status, outcome.stderr), (0, b""))
        report = self.one_report()
        lost = report.json["losses"]["records"]
        self.assertEqual(report.scope("known")["count"] + lost, 4 * each)
        self.assertEqual(sum(report.json["losses"]["by_cause"].values()), lost)
        self.assertEqual(sum(r["records"] for r in report.json["losses"]["ranges"]), lost)
        for serial in range(1, 5):
            thread, scope = report.thread(serial), report.scope("known", serial)
            self.assertEqual(scope["count"] + thread["lost"], each, serial)
            # One end never stands before its begin, and the times are of this machine's order.
            self.assertGreaterEqual(scope["latency_ns"]["min"], 0)
            self.assertLess(scope["latency_ns"]["p50"], 100_000)
        self.assertEqual(report.json["clock"]["anomalies"], 0)
        self.assertEqual(report.status, 4 if lost else 0)
        return lost

    def test_a_million_on_four_threads(self):
        lost = self.check(250_000)
        print(f"lost {lost} of 1000000")

    def test_smallest_rings_lose_and_say_so(self):
        self.check(250_000, TL_RING="1024")

    def test_small_pool(self):
        self.check(250_000, TL_RING_POOL="1MiB")

    def test_one_scope_is_one_record(self):
        self.assertEqual(self.check(1), 0)


if __name__ == "__main__":
    harness.main()
