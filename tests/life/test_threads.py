#!/usr/bin/env python3
"""Case C4 and its neighbours: threads that live shortly, many at once, are cancelled, have the smallest stacks, record and free
after their end. Memory follows the number alive."""
import os
import subprocess

import telemetry_harness as harness


class Threads(harness.TelemetryTest):
    def finished(self, way, n, env=None):
        for mode in ("plain", "preload"):
            done = self.run_program([harness.target("thread_fates"), way, str(n)], mode, env=env)
            self.assertEqual((done.status, done.stderr), (0, b""), (mode, way))
        return int(done.stdout)

    def whole(self, way, n):
        made = self.finished(way, n)
        report = self.assert_whole(self.dumps()[-1])
        self.assertEqual(report.scope("work")["count"], made)
        return report

    def most_resident_kib(self, command, mode):
        process = self.start(command, mode)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        process.communicate()
        self.assertEqual(status, 0, (command, mode))
        return usage.ru_maxrss

    def test_short_lives(self):
        """20,000 of them, 64 at a time."""
        command = [harness.target("short_threads"), "20000"]
        plain = self.most_resident_kib(command, "plain")
        kib = self.most_resident_kib(command, "preload")
        report = self.assert_whole(self.dumps()[-1])
        self.assertEqual(report.scope("work")["count"], 20000)
        self.assertGreaterEqual(report.calls["malloc"], 60000)
        self.assertLess(kib - plain, 40 << 10)

    def test_many_alive(self):
        """5,000 blocked at once: each has its scope recorded, or counted as lost."""
        command = [harness.target("thread_fates"), "alive", "5000"]
        plain = self.most_resident_kib(command, "plain")
        kib = self.most_resident_kib(command, "preload")
        report = self.report(self.dumps()[-1])
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], 5000)
        self.assertLess(kib - plain, 5000 * 100 + (40 << 10))

    def test_cancelled(self):
        made = self.finished("cancelled", 50)
        report = self.report(self.dumps()[-1])
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], made)
        self.assertEqual((report.scope("work")["unfinished"], report.json["file"]["complete"]), (0, True))

    def test_smallest_stacks(self):
        report = self.whole("small_stack", 200)
        self.assertEqual(report.scope("work")["count"], 400)

    def test_destructors_of_keys(self):
        """What key destructors record and free belongs to the thread; only what comes after our own last one, which is the
        first of the last round, is late and counted so."""
        made = self.finished("destructors", 50)
        report = self.report(self.dumps()[-1])
        self.assertEqual(made, 50 * 5)
        self.assertEqual(report.json["losses"]["by_cause"]["late"], 50)
        for thread in report.json["threads"]:
            self.assertEqual(thread["scopes"], 0 if thread["serial"] == 0 else 4, thread)

    def test_ring_memory_of_many_threads(self):
        """200 threads of which two are hot: the rings take no more than 96 MiB."""
        process = self.start([harness.target("two_hot"), "200", "1"])
        self.assertEqual(process.stdout.readline(), b"ready\n")
        path, = self.left_in_memory()
        most = 0
        while process.poll() is None:
            try:
                most = max(most, os.stat(path).st_blocks * 512)
            except FileNotFoundError:
                break
            subprocess.run(["sleep", "0.01"], check=True)
        process.communicate(timeout=harness.SECONDS)
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(most, 96 << 20)
        self.assertGreater(most, 200 * 65536)


if __name__ == "__main__":
    harness.main()
