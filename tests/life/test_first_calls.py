#!/usr/bin/env python3
"""What a program's thread notices of a call, its first one too: no fault, no allocation, no state that changes; and where
the drain runs."""
import glob
import os
import time
import unittest

import telemetry_harness as harness


def cpus_of(pid, name):
    """Of each thread of that name, as the kernel has them: sets of numbers."""
    found = []
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        with open(path) as file:
            lines = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        if lines["Name"] == name:
            ranges = [part.split("-") for part in lines["Cpus_allowed_list"].split(",")]
            found.append({cpu for part in ranges for cpu in range(int(part[0]), int(part[-1]) + 1)})
    return found


class FirstCalls(harness.TelemetryTest):
    def test_no_fault_and_no_allocation(self):
        for env in ({}, {"TL_ALLOC": "time"}):
            done = self.run_program([harness.target("first_scopes")], env=env)
            self.assertEqual((done.status, done.stdout), (0, b"0 0 64\n"), env)
            report = self.assert_whole(self.dumps()[0])
            self.assertEqual(report.scope("first")["count"], 65)
            self.forget_dumps()

    def test_state_is_kept_by_every_call(self):
        for env in ({}, {"TL_ALLOC": "time"}, {"TL_CLOCK": "os"}, {"TL_DISABLE": "1"},
                    {"TL_RING": "1024", "TL_RING_POOL": "0"}):
            with self.subTest(env):
                outcomes = self.same_everywhere([harness.target("call_state")], env=env)
                self.assertEqual((outcomes["plain"].status, outcomes["plain"].stdout), (0, b""))
                full = [self.report(dump).json["losses"]["by_cause"]["ring_full"] for dump in self.dumps()]
                self.assertEqual([lost > 0 for lost in full], [] if "TL_DISABLE" in env else [env.get("TL_RING_POOL") == "0"] * 2)
                self.forget_dumps()

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "with one CPU every thread is pinned")
    def test_drain_keeps_the_cpus_of_the_start(self):
        allowed = sorted(os.sched_getaffinity(0))
        for start, pinned in ((allowed, allowed[0]), (allowed, allowed[-1]), (allowed[1:], allowed[1])):
            process = self.start([harness.target("pinned_main"), str(pinned)], stdin=-1,
                                 preexec_fn=lambda start=start: os.sched_setaffinity(0, start))
            try:
                self.assertEqual(process.stdout.readline(), b"recorded\n")
                for _ in range(200):  # it is born where it is created, and may not have run yet
                    drains, mains = cpus_of(process.pid, "telemetry"), cpus_of(process.pid, "pinned_main")
                    if drains == [set(start)]:
                        break
                    time.sleep(0.01)
                self.assertEqual((drains, mains), ([set(start)], [{pinned}]))
            finally:
                process.communicate()
            self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    harness.main()
