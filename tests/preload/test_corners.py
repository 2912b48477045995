#!/usr/bin/env python3
"""Cases C8 and C9: corner values and the thread's state pass through."""
import telemetry_harness as harness

ENVIRONMENTS = ({}, {"TL_ALLOC": "time"}, {"TL_ALLOC": "off"}, {"TL_DISABLE": "1"})


class Corners(harness.TelemetryTest):
    def test_values_pass_through(self):
        for env in ENVIRONMENTS:
            with self.subTest(env):
                outcomes = self.same_everywhere([harness.target("corners")], env=env)
                self.assertIn(b"malloc huge: null, errno 12", outcomes["plain"].stdout)

    def test_failed_calls_are_failed_and_ask_for_no_bytes(self):
        for env in ENVIRONMENTS[:2]:
            self.run_program([harness.target("corners")], env=env)
            report = self.one_report()
            self.forget_dumps()
            # Twice each: calloc and reallocarray overflow, malloc and realloc of all memory, alignment 3. realloc(p, 0)
            # gives null because it freed, which is no failure.
            self.assertEqual(report.json["allocations"]["failed"], 10)
            self.assertLess(report.json["allocations"]["bytes_requested"], 1 << 20)
            self.assertEqual(report.calls["reallocarray"], 2)
            self.assertEqual(report.calls["posix_memalign"], 2)

    def test_thread_state_is_kept(self):
        for env in (*ENVIRONMENTS, {"TL_RING": "1024", "TL_RING_POOL": "64KiB"}):
            with self.subTest(env):
                outcomes = self.same_everywhere([harness.target("thread_state")], env=env)
                self.assertEqual((outcomes["plain"].status, outcomes["plain"].stdout), (0, b""))


if __name__ == "__main__":
    harness.main()
