#!/usr/bin/env python3
"""Children that libc does not announce, files that are moved, memory that others need: nothing of it is harmed or miscounted."""
import glob
import os
import signal
import subprocess
import unittest

import telemetry_harness as harness

ODD = harness.target("odd_children")


class OddWorlds(harness.TelemetryTest):
    def recorded(self):
        """Scopes in all dumps together; each whole."""
        count = 0
        for dump in self.dumps("odd_children"):
            report = self.report(dump)
            self.assertEqual(report.json["losses"]["records"], 0)
            count += report.scope("work")["count"]
        return count

    def everywhere(self, way):
        outcomes = self.same_everywhere([ODD, way])
        made = int(outcomes["plain"].stdout)
        self.assertEqual(self.recorded(), 2 * made)  # preloaded, and under tlrun

    def test_clone_with_memory_of_its_own(self):
        self.everywhere("clone")

    def test_forks_beside_an_exec(self):
        self.everywhere("beside_exec")

    def test_strict_seccomp(self):
        for outcome in self.same_everywhere([ODD, "strict"]).values():
            self.assertEqual(outcome.status, 5)
        for dump in self.dumps("odd_children"):
            self.assertEqual(self.report(dump).scope("work")["count"], 100)

    @unittest.skipIf(os.getuid() != 0, "only root can mount a small file system")
    def test_shared_memory_is_for_the_program(self):
        for size in ("3m", "16m"):
            script = f"mount -t tmpfs -o size={size} tmpfs /dev/shm || exit 77\n{ODD} own_shared_memory && " \
                     f"LD_PRELOAD={harness.LIBRARY} {ODD} own_shared_memory"
            done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", script], capture_output=True,
                                  env=self.environment(), timeout=harness.SECONDS, check=False)
            if done.returncode == 77:
                self.skipTest("no file systems can be mounted here")
            self.assertEqual((done.returncode, done.stdout), (0, b"200100\n200100\n"), (size, done.stderr))

    def killed_after(self, change):
        """Changes the world of a program that records, kills it, and returns its pid."""
        output = os.path.join(self.dumps_in, "o.tl")
        moments = os.path.join(self.home, "moments")
        os.makedirs(moments)
        with open(os.path.join(moments, "3.wait"), "w", encoding="utf-8"):
            pass
        process = self.start([harness.target("paced"), "0", "5", "1000", "300000", moments], env={"TL_OUTPUT": output})
        self.assertEqual(process.stdout.readline(), b"3\n")
        change(output)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        return output

    def test_a_file_that_took_the_place_of_a_moved_dump(self):
        def change(output):
            os.rename(output, output + ".moved")
            with open(output, "w", encoding="utf-8") as file:
                file.write("precious\n")
        output = self.killed_after(change)
        subprocess.run([harness.TLREPORT, output], capture_output=True, check=False, timeout=harness.SECONDS)
        with open(output, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")
        # What it left goes into a file of its own, by whoever looks for what the dead left.
        self.run_program([harness.target("hello")], "tlrun")
        self.assertEqual(self.left_in_memory(), [])
        with open(output, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")
        files = [output + ".moved", *glob.glob(output + ".[0-9]*")]
        self.assertEqual(sum(self.report(file).scope("work")["count"] for file in files), 2000)

    def test_a_dump_that_was_removed(self):
        output = self.killed_after(os.remove)
        report = self.report(output)
        self.assertEqual(report.json["process"]["ended"], "killed")
        self.assertEqual(self.left_in_memory(), [])


if __name__ == "__main__":
    harness.main()
