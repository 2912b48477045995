#!/usr/bin/env python3
"""Case C3: shells, exec chains, fixed names; each process its own dump, none for those that recorded nothing."""
import os

import telemetry_harness as harness

CODE = f"ls / | wc -l >/dev/null; exec {harness.target('ends')} exit"


class Processes(harness.TelemetryTest):
    def programs(self):
        reports = [self.assert_whole(dump) for dump in self.dumps()]
        return sorted(r.json["process"]["program"] for r in reports), reports

    def test_shell_and_exec_chain(self):
        outcomes = self.same_everywhere(["sh", "-c", CODE])
        self.assertEqual(outcomes["plain"].status, 3)
        names, reports = self.programs()
        for name in ("ends", "ls", "sh", "wc"):
            self.assertIn(name, names)
        chain = [r.json["process"] for r in reports if r.json["process"]["ended"] == "exec"]
        own = next(r.json["process"] for r in reports if r.json["process"]["program"] == "ends")
        # The shell and what it became are two dumps of one pid.
        self.assertIn(own["pid"], [each["pid"] for each in chain if each["program"] == "sh"])
        for dump in self.dumps():
            self.assertGreater(os.path.getsize(dump), 0)

    def test_fixed_name(self):
        fixed = os.path.join(self.dumps_in, "fixed.x.tl")
        done = self.run_program(["sh", "-c", CODE], env={"TL_OUTPUT": fixed})
        self.assertEqual(done.status, 3)
        names, _ = self.programs()
        self.assertGreaterEqual(len(names), 3)
        self.assertIn("ends", names)
        self.assertEqual(sorted(map(os.path.basename, self.dumps())),
                         sorted(["fixed.x.tl"] + [f"fixed.x.tl.{i}" for i in range(1, len(names))]))

    def test_those_that_record_nothing_leave_nothing(self):
        self.run_program(["sh", "-c", CODE], env={"TL_ALLOC": "off"})
        names, _ = self.programs()
        self.assertEqual(names, ["ends"])

    def test_tlrun_counts_the_dumps_of_all(self):
        done = self.run_program(["sh", "-c", CODE], mode="tlrun", env={"TL_OUTPUT": "here.%e.%p.tl"})
        found = [name for name in os.listdir(self.home) if name.startswith("here.")]
        self.assertTrue(any(f"{len(found)} dumps in all" in line for line in done.said), (done.said, found))

    def test_children_that_change_directory(self):
        done = self.run_program(["sh", "-c", "cd /; ls / >/dev/null; exit 3"], mode="tlrun", env={"TL_OUTPUT": "here.%e.%p.tl"})
        self.assertEqual(done.status, 3)
        self.assertTrue([name for name in os.listdir(self.home) if name.startswith("here.ls.")])


if __name__ == "__main__":
    harness.main()
