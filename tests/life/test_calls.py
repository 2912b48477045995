#!/usr/bin/env python3
"""Every recording call of the C ABI: one known sequence, in every mode and every way of use, against what it must come to."""
import itertools

import telemetry_harness as harness

MIXTURES = list(itertools.product((0, 1, 2), repeat=2))  # modes of begin and end: fast, mid, hard
ROUNDS = {0: 1, 1: 2, 2: 3}  # thread: how many times over it runs the sequence of targets/sequence.c


def expected(n):
    """name: (count, mismatched, early)"""
    return {"outer": (100 * n, 0, 0), "inner": (200 * n, 0, 0), "again": (50 * n, 0, 0), "a": (1, 1, 0), "b": (1, 1, 0),
            "never": (0, 0, 0), "first": (20 * n, 0, 0), "second": (20 * n, 0, 0),
            "planned": (7 * n + 1, 0, 2 * n), "carried": (7 * n, 0, 0)}


def numbers(n):
    return [(-i if i % 2 else i) * 1000003 for i in range(50 * n)]


def texts(n):
    return [f"thread {n}: \"{'0' * 130 * n}\""[:255], "\u00fc, <&>"]


class Sequence(harness.TelemetryTest):
    def check_scopes(self, report):
        for serial, n in ROUNDS.items():
            for name, (count, mismatched, early) in expected(n).items():
                row = report.scope(name, serial)
                self.assertEqual((row["count"], row["mismatched"], row["early"]), (count, mismatched, early), (name, serial))
            never, c = report.scope("never", serial), report.scope("c", serial)
            self.assertEqual((never["unfinished"], never["discarded"]), (1, 0), serial)
            # An end without a begin; after a pause, which is how main starts, that may lie in there.
            self.assertEqual((c["count"], c["mismatched"] + c["discarded"], c["unfinished"]), (0, 1, 0), serial)
            self.assertEqual(report.thread(serial)["scopes"], sum(count for count, _, _ in expected(n).values()))
            self.assertEqual(report.thread(serial)["lost"], 0)
            self.assertEqual(report.scope("planned", serial)["response_count"], 7 * n)
        self.assertEqual((report.scope("cut")["count"], report.scope("cut")["discarded"]), (0, 1))
        for row in (row for row in report.json["scopes"] if row["thread"] is None and row["name"] != "c"):
            each = [expected(n).get(row["name"], (0, 0, 0)) for n in ROUNDS.values()]
            self.assertEqual((row["count"], row["mismatched"], row["early"]), tuple(map(sum, zip(*each))), row["name"])
            self.assertEqual(row["unfinished"], 3 if row["name"] == "never" else 0, row["name"])
            self.assertEqual(row["discarded"], 1 if row["name"] == "cut" else 0, row["name"])

    def check_times(self, report):
        for row in (row for row in report.json["scopes"] if row["count"] > 0):
            ns, what = row["latency_ns"], (row["name"], row["thread"])
            self.assertTrue(0 <= ns["min"] <= ns["p50"] <= ns["p99"] <= ns["max"], what)
            self.assertLessEqual(row["self_ns"], row["total_ns"], what)
            self.assertLessEqual(row["total_ns"], report.json["process"]["duration_ns"], what)
            if row["response_ns"] is not None:
                self.assertGreaterEqual(row["response_ns"]["max"], ns["min"], what)
            if row["name"] in ("outer", "again"):
                self.assertLess(row["self_ns"] if row["name"] == "outer" else 0, row["total_ns"], what)
            else:
                self.assertEqual(row["self_ns"], row["total_ns"], what)
        again = report.scope("again")  # its outermost levels alone
        self.assertLess(again["total_ns"], again["latency_ns"]["mean"] * again["count"])

    def check_others(self, report):
        for serial, n in ROUNDS.items():
            pulse = next(p for p in report.json["pulses"] if p["name"] == "tick" and p["thread"] == serial)
            self.assertEqual(pulse["count"], 11 * n - 1, serial)
        values = {value["name"]: value for value in report.json["values"]}
        self.assertEqual(set(values), {"number", "far"})
        known = [number for n in ROUNDS.values() for number in numbers(n)]
        number = values["number"]
        self.assertEqual((number["count"], number["min"], number["max"], number["mean"]),
                         (len(known), min(known), max(known), sum(known) / len(known)))
        middle = sorted(known)[(len(known) + 1) // 2 - 1]
        self.assertLessEqual(abs(number["p50"] - middle), abs(middle) / 1000)
        self.assertEqual((values["far"]["count"], values["far"]["min"], values["far"]["max"]), (6, -2**63, 2**63 - 1))
        self.assertAlmostEqual(values["far"]["mean"], -0.5, delta=1)
        self.assertEqual([(mark["thread"], mark["text"]) for mark in report.json["marks"]],
                         [(serial, text) for serial, n in ROUNDS.items() for text in texts(n)])
        times = [mark["at_ns"] for mark in report.json["marks"]]
        self.assertEqual(times, sorted(times))
        self.assertTrue(0 <= times[0] and times[-1] <= report.json["process"]["duration_ns"])

    def check(self, mode, mixtures, **env):
        for begin, end in mixtures:
            with self.subTest(begin=begin, end=end, **env):
                program = harness.target("linked_sequence" if mode == "linked" else "sequence")
                done = self.run_program([program, str(begin), str(end)], mode, env=env)
                self.assertEqual((done.status, done.stdout, done.stderr), (0, b"", b""))
                report = self.assert_whole(self.dumps()[0])
                self.forget_dumps()
                self.assertEqual([thread["serial"] for thread in report.json["threads"]], [0, 1, 2])
                self.assertEqual(report.json["clock"]["source"], "clock_gettime" if env else "tsc")
                self.assertEqual(report.json["clock"]["anomalies"], 0)
                self.check_scopes(report)
                self.check_times(report)
                self.check_others(report)

    def test_preloaded(self):
        self.check("preload", MIXTURES)

    def test_linked(self):
        self.check("linked", MIXTURES)

    def test_launched(self):
        self.check("tlrun", MIXTURES)

    def test_preloaded_with_the_kernels_clock(self):
        self.check("preload", MIXTURES, TL_CLOCK="os")

    def test_linked_with_the_kernels_clock(self):
        self.check("linked", MIXTURES, TL_CLOCK="os")

    def test_launched_with_the_kernels_clock(self):
        self.check("tlrun", MIXTURES, TL_CLOCK="os")

    def test_without_the_library(self):
        done = self.run_program([harness.target("sequence")], "plain")
        self.assertEqual((done.status, done.stdout, done.stderr, self.dumps()), (0, b"", b"", []))


if __name__ == "__main__":
    harness.main()
