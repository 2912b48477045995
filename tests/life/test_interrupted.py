#!/usr/bin/env python3
"""A signal handler that records, at every instruction of every call: what both make is there or counted as lost, and what
the interrupted call recorded is what it should be."""
import os
import signal

import telemetry_harness as harness

# Per K of targets/interrupted.c: what the handler makes, and what each kind of call does.
HANDLER = {"inner": 5, "tick": 1, "carried": 1, "number": 1, "handler": 1}
TEXT = "".join(chr(ord("a") + i % 26) for i in range(39))
CALLS = {"f": {"own": 1}, "m": {"own": 1}, "h": {"own": 1}, "n": {"own": 1, "other": 1}, "a": {"own": 1}, "p": {"tick": 2},
         "v": {"own": 2}, "s": {"own": 2}, "k": {TEXT: 1}}
# As a thread's first record, as its second, at the end of its first segment (of 512 records with TL_RING=1024: the next
# one is taken, or there is none), and on the longer ways of another clock.
PLACES = (("0", {}), ("1", {}), *((str(512 - room), {"TL_RING": "1024"}) for room in (0, 1, 3, 6)),
          ("510", {"TL_RING": "1024", "TL_RING_POOL": "0"}), ("1", {"TL_CLOCK": "os"}))


class Interrupted(harness.TelemetryTest):
    def recorded(self, report):
        found = {row["name"]: row["count"] for row in report.json["scopes"] if row["thread"] is None}
        found.update((row["name"], row["count"]) for row in report.json["values"])
        found["tick"] = sum(row["count"] for row in report.json["pulses"] if row["thread"] is None)
        for mark in report.json["marks"]:
            found[mark["text"]] = found.get(mark["text"], 0) + 1
        return found

    def check(self, kind, before, env):
        done = self.run_program([harness.target("interrupted"), kind, before], env=env)
        if done.status == -signal.SIGTRAP:  # memory was made, with all signals blocked, as none was ready yet
            for dump in self.dumps():
                self.report(dump)
            self.forget_dumps()
            return False
        self.assertEqual((done.status, done.stderr), (0, b""))
        threads, handled = map(int, done.stdout.split())
        self.assertEqual(threads, handled + 1)  # of the last one all instructions were stepped through
        self.assertGreater(threads, 30)
        report = self.one_report()
        self.forget_dumps()
        made = {name: n * threads for name, n in CALLS[kind].items()}
        for name, n in HANDLER.items():
            made[name] = made.get(name, 0) + n * handled
        made["warm"] = int(before) * threads + 1
        found, lost = self.recorded(report), report.json["losses"]["records"]
        # The first pulse of a thread records nothing; with records before, that one is made before the call. Without, the
        # handler's may be the first and lost.
        unclear = 0 if before != "0" else handled
        made["tick"] -= 0 if before != "0" else threads if kind == "p" else handled
        self.assertEqual(set(found) - set(made), {name for name in ("own", "other") if name not in made})
        for name, n in made.items():
            self.assertLessEqual(found.get(name, 0), n, name)
        seen = sum(found.values()) + lost - sum(made.values())
        self.assertTrue(0 <= seen <= unclear, (seen, lost, found, made))
        self.assertEqual(sum(report.json["losses"]["by_cause"].values()), lost)
        for row in report.json["scopes"]:
            self.assertEqual((row["mismatched"], row["unfinished"], row["discarded"]), (0, 0, 0), row["name"])
        self.assertEqual(report.json["clock"]["anomalies"], 0)
        if "TL_RING_POOL" not in env:
            for name, n in CALLS[kind].items():
                # The interrupted call's own is never what is lost; of pulses both have the same id.
                self.assertGreaterEqual(found[name], made[name] - HANDLER.get(name, 0) * handled, name)
            self.check_numbers(report, kind, threads)
        return True

    def check_numbers(self, report, kind, threads):
        rate = report.json["clock"]["ticks_per_ns"]
        if kind == "v":
            own = next(value for value in report.json["values"] if value["name"] == "own")
            self.assertEqual((own["count"], own["min"], own["max"]), (2 * threads, 1 - 2**63, threads))
        if kind == "s":
            total = sum(range(1, threads + 1)) + threads * 2**50
            self.assertAlmostEqual(report.scope("own")["total_ns"], total / rate, delta=total / rate * 1e-3)
            self.assertAlmostEqual(report.scope("own")["latency_ns"]["min"], 1 / rate, delta=0.1)
        if kind == "a":
            self.assertEqual(report.scope("own")["response_count"], threads)
            self.assertGreater(report.scope("own")["response_ns"]["min"], report.scope("own")["latency_ns"]["max"])
        if kind in "fmhna":  # inside the process's time, each thread's after the other's
            names = CALLS[kind]
            self.assertGreaterEqual(min(report.scope(name)["latency_ns"]["min"] for name in names), 0)
            self.assertLess(sum(report.scope(name)["total_ns"] for name in names), report.json["process"]["duration_ns"])

    def every_place(self, kind, places=PLACES):
        for before, env in places:
            with self.subTest(before=before, env=env):
                self.assertTrue(any(self.check(kind, before, env) for _ in range(5)), "memory was made each time")
        for path in self.left_in_memory():
            os.remove(path)

    def test_fast(self):
        self.every_place("f")

    def test_mid(self):
        self.every_place("m")

    def test_hard(self):
        self.every_place("h")

    def test_next(self):
        self.every_place("n")

    def test_begin_at(self):
        self.every_place("a")

    def test_pulse(self):
        self.every_place("p", PLACES[1:])

    def test_first_pulse(self):
        self.every_place("p", PLACES[:1])

    def test_value(self):
        self.every_place("v")

    def test_span(self):
        self.every_place("s")

    def test_mark(self):
        self.every_place("k")

    def test_while_a_pause_comes(self):
        """Nothing torn and no false time, whatever the interrupted call held when its scope was overtaken."""
        for kind, env in (*((kind, {}) for kind in CALLS), ("f", {"TL_CLOCK": "os"}), ("n", {"TL_CLOCK": "os"})):
            with self.subTest(kind=kind, env=env):
                done = self.run_program([harness.target("interrupted"), kind, "1", "pause"], env=env)
                self.assertEqual((done.status, done.stderr), (0, b""))
                threads, handled = map(int, done.stdout.split())
                report = self.assert_whole(self.dumps()[0])
                self.forget_dumps()
                found = self.recorded(report)
                for name, n in CALLS[kind].items():
                    self.assertLessEqual(found.get(name, 0), n * threads + HANDLER.get(name, 0) * handled, name)
                self.assertEqual(found["inner"], 5 * handled)
                self.assertEqual(report.json["clock"]["anomalies"], 0)
                for row in report.json["scopes"] if kind != "s" else ():  # whose stamps are its own
                    if row["count"] and row["name"] != "carried":
                        self.assertLess(row["latency_ns"]["max"], report.json["process"]["duration_ns"], row["name"])


if __name__ == "__main__":
    harness.main()
