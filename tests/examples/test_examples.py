#!/usr/bin/env python3
"""The examples do what their texts say, with and without tlrun."""
import os

import telemetry_harness as harness

ORDERS = os.path.join(harness.BUILD, "tests", "examples", "orders")
STAGES = os.path.join(harness.BUILD, "tests", "examples", "stages")
LINES = 2 * 200 * (99 * 4 + 200)  # each worker: 200 hundreds, whose last order is large


class Examples(harness.TelemetryTest):
    def test_orders(self):
        for mode in ("linked", "tlrun", "preload"):
            with self.subTest(mode):
                done = self.run_program([ORDERS], mode)
                self.assertEqual((done.status, done.stdout), (0, b"40000 orders, %d lines booked\n" % LINES))
                report = self.one_report()
                self.forget_dumps()
                lost = report.json["losses"]["records"]
                self.assertEqual(report.scope("order")["count"] + report.scope("parse")["count"] +
                                 report.scope("book")["count"] + lost, 80000 + LINES)
                self.assertEqual([t["name"] for t in report.json["threads"]], ["orders", "orders-a", "orders-b"])
                self.assertGreater(report.scope("order")["latency_ns"]["p99.9"], report.scope("order")["latency_ns"]["p50"])

    def test_stages(self):
        """A program that knows the headers alone: the same output with and without the library."""
        self.same_everywhere([STAGES])
        for dump in self.dumps():
            report = self.report(dump)
            for name in ("message", "decode", "verify", "route", "checksum", "waiting"):
                scope = report.scope(name)
                self.assertEqual((scope["count"], scope["mismatched"], scope["unfinished"]), (1000, 0, 0), name)
            self.assertEqual(report.json["losses"]["records"], 0)

    def test_switched_off(self):
        done = self.run_program([ORDERS], "linked", env={"TL_DISABLE": "1"})
        self.assertEqual((done.status, self.dumps()), (0, []))


if __name__ == "__main__":
    harness.main()
