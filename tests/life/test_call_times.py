#!/usr/bin/env python3
"""Times that the calls of the C ABI record, against the kernel's clock and against each other."""
import telemetry_harness as harness

CLOCKS = ({}, {"TL_CLOCK": "os"})


class Times(harness.TelemetryTest):
    def recorded(self, name, *arguments, env=None):
        """What the program printed, in numbers, and the report of its dump."""
        done = self.run_program([harness.target(name), *arguments], env=env)
        self.assertEqual((done.status, done.stderr), (0, b""))
        report = self.assert_whole(self.dumps()[0])
        self.forget_dumps()
        return [line.split() for line in done.stdout.decode().splitlines()], report

    def test_nested_and_recursive(self):
        for env in CLOCKS:
            lines, report = self.recorded("nested_times", env=env)
            for name, least, most, count in lines:
                row = report.scope(name)
                self.assertEqual(row["count"], int(count), name)
                # The report ties ticks to the kernel's clock to 100 ppm or better, even of so short a run.
                self.assertGreaterEqual(row["total_ns"], int(least) * 0.9999 - 1000, name)
                self.assertLessEqual(row["total_ns"], int(most) * 1.0001 + 1000, name)
            outer, inner, again = (report.scope(name) for name, *_ in lines)
            self.assertAlmostEqual(outer["self_ns"] + inner["self_ns"] + again["self_ns"], outer["total_ns"], delta=10)
            self.assertGreaterEqual(outer["self_ns"], 10 * 400_000 * 0.9999)
            # Four levels of 300 us: their samples add up to 4 + 3 + 2 + 1 of these, their total is that of the outermost.
            self.assertGreaterEqual(again["latency_ns"]["mean"] * 40, 10 * 10 * 300_000 * 0.9999)
            self.assertLess(again["total_ns"], again["latency_ns"]["mean"] * 40 * 0.7)
            self.assertAlmostEqual(again["self_ns"], again["total_ns"], delta=10)

    def test_stages_leave_no_gap(self):
        for env in CLOCKS:
            _, report = self.recorded("chain", env=env)
            rests = []
            for chain in range(5):
                stages = [report.scope(f"stage {chain}.{i}") for i in range(3)]
                self.assertEqual([stage["count"] for stage in stages], [1000] * 3)
                span = report.scope(f"span {chain}")
                self.assertEqual(span["count"], 1)
                rests.append(span["total_ns"] - sum(stage["total_ns"] for stage in stages))
            # Of 3,000 stages. The two stamps around the chain are a call away from its first and its last; with a gap of
            # one step of the clock between any two stages the rest would be some microseconds, with two stamps 30.
            self.assertGreaterEqual(min(rests), -5, rests)
            self.assertLessEqual(min(rests), 1000, rests)

    def test_stall_of_an_open_loop(self):
        (late, longest), report = (lambda lines, report: (map(int, lines[0]), report))(*self.recorded("open_loop"))
        request, ahead = report.scope("request"), report.scope("ahead")
        service, response = request["latency_ns"], request["response_ns"]
        self.assertEqual((request["count"], request["response_count"], request["early"]), (1000, 1000, 0))
        self.assertGreater(late, 150)  # of 30 ms: 200 requests
        self.assertGreater(response["p90"], 10_000_000)
        self.assertGreater(response["p99"], 25_000_000)
        self.assertLess(service["p99"], 10_000_000)
        self.assertGreaterEqual(service["max"], 30_000_000)
        self.assertAlmostEqual(response["max"], longest, delta=longest / 100)
        self.assertGreaterEqual(response["max"], service["max"])
        self.assertEqual((ahead["count"], ahead["early"], ahead["response_ns"]), (5, 5, ahead["latency_ns"]))

    def test_spans_and_a_scope_that_is_moved(self):
        for env in CLOCKS:
            ((wall, stamp),), report = self.recorded("spans", env=env)
            message = report.scope("message")
            self.assertEqual(message["count"], 10)
            self.assertGreaterEqual(message["latency_ns"]["min"], 1_000_000 * 0.9999)
            self.assertEqual(sorted(s["thread"] for s in report.json["scopes"] if s["name"] == "message" and s["count"] > 0
                                    and s["thread"] is not None), list(range(1, 11)))  # those that had the end
            equal = report.scope("equal")
            self.assertEqual((equal["count"], equal["latency_ns"]["max"], equal["total_ns"]), (7, 0, 0))
            self.assertEqual((report.scope("reversed")["count"], report.json["clock"]["anomalies"]), (0, 2))
            rate = report.json["clock"]["ticks_per_ns"]
            old, future = report.scope("old"), report.scope("future")
            self.assertAlmostEqual(old["total_ns"], int(stamp) / rate, delta=int(stamp) / rate * 1e-3)
            self.assertAlmostEqual(future["total_ns"], 1000 / rate, delta=1)
            self.assertEqual((old["self_ns"], old["count"], future["count"]), (old["total_ns"], 1, 1))
            moved = report.scope("moved")
            self.assertEqual((moved["count"], moved["mismatched"]), (100, 0))
            self.assertGreaterEqual(moved["latency_ns"]["min"], 0)
            self.assertLessEqual(moved["total_ns"], int(wall) * 1.001 + 1000)

    def test_conversions(self):
        for env in CLOCKS:
            done = self.run_program([harness.target("conversions")], env=env)
            lines = [[float(word) for word in line.split()] for line in done.stdout.decode().splitlines()]
            for least, most, ns, ticks, back in lines[:4]:
                self.assertGreater(least, 50_000_000)
                self.assertGreaterEqual(ns, least * 0.999)
                self.assertLessEqual(ns, most * 1.001)
                self.assertAlmostEqual(back, ticks, delta=ticks / 1e4 + 1)
            self.assertEqual(done.stdout.splitlines()[4:], [b"0 0 0 0.0", b"18446744073709551615 18446744073709551615"])
        done = self.run_program([harness.target("conversions")], "plain")  # without the library: 0
        self.assertEqual({line.split(b" ", 2)[2] for line in done.stdout.splitlines()[:4]}, {b"0 0 0"})


class OwnCost(harness.TelemetryTest):
    def check(self, report, scopes):
        cost, step = report.json["cost"], report.json["cost"]["timer_step"]
        self.assertEqual(len(cost["pairs"]), 9)
        self.assertGreater(step, 0)
        for name, pair in cost["pairs"].items():
            self.assertTrue(0 <= pair["min"] <= pair["p50"] <= pair["p90"] <= pair["p99"] <= pair["max"], (name, pair))
            self.assertGreater(pair["whole_ns"], 0, name)
            self.assertGreater(pair["samples"], 100, name)
        for own in ("next", "pulse"):
            self.assertGreater(cost[own], 0)
        if scopes >= 10000:  # the same things, as the program itself had them
            fast, empty = cost["pairs"]["fast_fast"], report.scope("empty")
            self.assertEqual(empty["count"] % scopes, 0)
            self.assertGreaterEqual(empty["latency_ns"]["p50"], fast["min"] - step)
            self.assertLessEqual(empty["latency_ns"]["p50"], fast["max"] + step)
            stage = report.scope("stage")["latency_ns"]["p50"]
            self.assertLess(abs(stage - cost["next"]), 0.5 * stage + 2 * step)
        return cost

    def cost_of(self, scopes, *more, env=None):
        done = self.run_program([harness.target("empty_scopes"), str(scopes), *more], env=env)
        self.assertEqual((done.status, done.stderr), (0, b""))
        dumps = self.dumps()
        costs = [self.check(self.assert_whole(dump), scopes) for dump in dumps]
        self.forget_dumps()
        return costs

    def test_of_a_short_run(self):
        self.assertEqual(len(self.cost_of(1)), 1)

    def test_of_a_longer_run(self):
        self.assertEqual(len(self.cost_of(10000, "20")), 1)

    def test_of_a_forked_child(self):
        self.assertEqual(len(self.cost_of(1, "1", "fork")), 2)

    def test_of_the_kernels_clock(self):
        (tsc,), (os,) = self.cost_of(10000, "2"), self.cost_of(10000, "2", env={"TL_CLOCK": "os"})
        self.assertGreater(os["pairs"]["fast_fast"]["p50"], tsc["pairs"]["fast_fast"]["min"])
        self.assertGreater(os["pairs"]["fast_fast"]["whole_ns"], tsc["pairs"]["fast_fast"]["whole_ns"])


if __name__ == "__main__":
    harness.main()
