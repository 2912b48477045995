#!/usr/bin/env python3
"""Case C1: calls that come before anything is ready."""
import glob
import os

import telemetry_harness as harness


class Bootstrap(harness.TelemetryTest):
    def test_empty_environment(self):
        for program, status in (("/bin/true", 0), ("/bin/false", 1), ("/bin/echo", 0)):
            done = self.run_program(["/usr/bin/env", "-i", f"LD_PRELOAD={harness.LIBRARY}", program], mode="plain")
            self.assertEqual((done.status, done.stderr), (status, b""))
            # The default name, in the working directory.
            for dump in glob.glob(os.path.join(self.home, "telemetry.*.tl")):
                self.assertRegex(os.path.basename(dump), r"^telemetry\.(true|false|echo)\.\d+\.\d{8}T\d{6}\.tl$")
                self.assertEqual(os.stat(dump).st_mode & 0o777, 0o600)
                self.assert_whole(dump)

    def test_library_that_allocates_and_starts_a_thread_before_main(self):
        outcomes = self.same_everywhere([harness.target("early")])
        self.assertEqual((outcomes["plain"].status, outcomes["plain"].stdout), (0, b"1000 1000\n"))
        for dump in self.dumps():
            report = self.assert_whole(dump)
            self.assertEqual([t["serial"] for t in report.json["threads"]], [0, 1])
            self.assertGreaterEqual(report.thread(1)["allocations"], 1000)

    def test_thread_local_storage_of_a_late_library_and_missing_names(self):
        for env in ({}, {"TL_ALLOC": "time"}):
            outcomes = self.same_everywhere([harness.target("late"), harness.target("libtls_dso.so")], env=env)
            self.assertEqual((outcomes["plain"].status, outcomes["plain"].stdout), (0, b"42\n2000\n"))

    def test_environment_is_not_touched(self):
        shown = self.run_program(["/usr/bin/env", "-0"]).stdout
        wanted = self.environment({"LD_PRELOAD": harness.LIBRARY})
        self.assertEqual(sorted(shown.decode().strip("\0").split("\0")), sorted(f"{k}={v}" for k, v in wanted.items()))

    def test_other_preloads_stand(self):
        other = harness.target("libearly_dso.so")
        outcomes = self.same_everywhere(["/bin/sh", "-c", "echo $0"], env={"LD_PRELOAD": other})
        self.assertEqual(outcomes["plain"].stdout, b"/bin/sh\n")


if __name__ == "__main__":
    harness.main()
