#!/usr/bin/env python3
"""Moments in which a library inside a program can do harm, or lose records without a word."""
import os
import resource
import signal
import subprocess
import unittest

import telemetry_harness as harness

HARDSHIPS = harness.target("hardships")


class Hardships(harness.TelemetryTest):
    def test_handler_at_every_instruction(self):
        """A signal handler that records, at instructions of begin and end, also of a thread's first and where a segment of
        the ring ends: every scope is there, or counted as lost."""
        for before in ("0", "1", "3046"):
            step, steps, dead = 1, 1, 0
            while step <= steps:
                done = self.run_program([harness.target("every_instruction"), str(step), before])
                if done.status == -signal.SIGTRAP:  # no memory was ready yet, so it was made, with all signals blocked
                    dead += 1
                    self.assertLess(dead, 20, (before, step))
                    continue
                self.assertEqual(done.status, 0)
                steps = int(done.stdout)
                report = self.report(self.dumps()[-1])
                outer, inner = report.scope("outer"), report.scope("inner")
                self.assertEqual(outer["count"] + inner["count"] + report.json["losses"]["records"], int(before) + 14, (before, step))
                self.assertEqual((outer["count"], outer["mismatched"], inner["unfinished"]), (int(before) + 13, 0, 0), (before, step))
                step += 5 if before == "3046" else 2
                self.forget_dumps()
        for path in self.left_in_memory():
            os.remove(path)

    def test_fork_in_handler(self):
        self.same_everywhere([HARDSHIPS, "fork_in_handler"])

    def test_raw_exit_of_the_last_thread(self):
        for outcome in self.same_everywhere([HARDSHIPS, "raw_exit"]).values():
            self.assertEqual(outcome.status, 7)
        for dump in self.dumps("hardships"):
            self.assertEqual(self.report(dump).scope("work")["count"], 1000)

    def test_raw_fork(self):
        self.assertEqual(self.run_program([HARDSHIPS, "raw_fork"]).status, 0)
        reports = [self.assert_whole(dump) for dump in self.dumps("hardships")]
        self.assertEqual(sorted(report.scope("work")["count"] for report in reports), [500, 1500])

    def test_killed_after_an_exec_that_failed(self):
        done = self.run_program([HARDSHIPS, "failed_exec"], "tlrun")
        self.assertEqual(done.status, -signal.SIGKILL)
        report = self.one_report()
        self.assertEqual((report.scope("work")["count"], report.calls["malloc"], report.json["file"]["complete"]),
                         (3000, 3000, False))

    def test_descriptors_that_the_program_takes(self):
        files = os.path.join(self.home, "files")
        os.mkdir(files)
        self.same_everywhere([harness.target("takes_descriptors"), files])
        for dump in self.dumps():
            self.assertEqual(self.assert_whole(dump).scope("work")["count"], 100_000)

    def test_limit_on_file_sizes(self):
        for limit in (0, 65536, 300000):
            def limited(limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            for mode in ("plain", "preload"):
                self.assertEqual(self.run_program([HARDSHIPS], mode, preexec_fn=limited).status, 0, (limit, mode))
            for dump in self.dumps():
                self.report(dump)  # whatever there is can be read, and what is left in memory goes
            for path in self.left_in_memory():
                os.remove(path)
            self.forget_dumps()

    @unittest.skipIf(os.getuid() != 0, "only root can become somebody else")
    def test_rights_that_are_given_up(self):
        os.chmod(self.home, 0o755)
        os.chmod(self.dumps_in, 0o777)
        done = self.run_program([HARDSHIPS, "users"], "tlrun")  # who removes the memory, which nobody may not
        self.assertEqual(done.stdout.split(), [b"Gid:", *[b"65534"] * 4, b"Uid:", *[b"65534"] * 4])

    def test_program_that_confines_itself(self):
        for outcome in self.same_everywhere([HARDSHIPS, "confined"]).values():
            self.assertEqual(outcome.status, 0)
        for dump in self.dumps("hardships"):
            report = self.report(dump)
            self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], 21000)
            self.assertEqual(report.calls["malloc"], 21000 + report.calls["malloc"] % 1000)
        for path in self.left_in_memory():  # under a bare LD_PRELOAD it waits there for tlreport
            os.remove(path)

    def test_stderr_that_nobody_reads(self):
        for redirect in ("2>&-", "2>/dev/full"):
            command = f"exec {harness.TLRUN} -- {HARDSHIPS} {redirect}"
            done = subprocess.run(["sh", "-c", command], env=self.environment(), cwd=self.home, check=False)
            self.assertEqual(done.returncode, 0, redirect)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "with one CPU every thread is pinned")
    def test_pinned_by_a_name_from_outside(self):
        cpu = max(os.sched_getaffinity(0))
        done = self.run_program([harness.target("named_by_creator")], env={"TL_PIN": f"worker={cpu}"})
        self.assertEqual(done.stdout.split(), [b"1"] * 50)

    def test_address_sanitizer(self):
        source, program = os.path.join(self.home, "a.c"), os.path.join(self.home, "a")
        with open(source, "w") as file:
            file.write("#include <stdio.h>\nint main(void) { return puts(\"runs\") < 0; }\n")
        subprocess.run(["gcc", "-fsanitize=address", source, "-o", program], check=True)
        done = self.run_program([program], "tlrun")
        self.assertEqual((done.status, done.stdout, len(done.said)), (0, b"runs\n", 1), done)


if __name__ == "__main__":
    harness.main()
