#!/usr/bin/env python3
"""Case C2: forks while other threads are inside malloc and hooks. No hang, and every process's records are exact."""
import telemetry_harness as harness


class ForkStorm(harness.TelemetryTest):
    def test_forks_of_main(self):
        self.storm(2000, "2000")

    def test_forks_of_many_threads(self):
        self.storm(400, "100", "4")

    def storm(self, forks, *arguments):
        plain = self.run_program([harness.target("fork_storm"), *arguments], "plain")
        self.assertEqual((plain.status, plain.stdout.split()[0]), (0, b"0"))
        done = self.run_program([harness.target("fork_storm"), *arguments])
        self.assertEqual((done.status, done.stderr), (0, b""))
        bad, rounds = map(int, done.stdout.split())
        self.assertEqual(bad, 0)
        dumps = self.dumps()
        self.assertEqual(len(dumps), forks + 1)  # a grandchild does nothing, and leaves nothing
        parents = [dump for dump in dumps if self.is_of(dump)]
        self.assertEqual(len(parents), 1)
        parent = self.assert_whole(parents[0])
        self.assertEqual(parent.scope("busy")["count"], rounds)
        self.assertEqual(sum(t["scopes"] for t in parent.json["threads"]), rounds)
        dumps.remove(parents[0])
        children = 0
        for at in range(0, forks, 100):
            merged = self.report(*dumps[at:at + 100])
            self.assertEqual(merged.status, 0)
            for report in merged.json["reports"]:
                scopes = {row["name"]: row["count"] for row in report["scopes"] if row["thread"] is None}
                self.assertEqual((scopes["child"], scopes.get("busy", 0), report["losses"]["records"]), (1, 0, 0))
                self.assertEqual((report["process"]["parent_pid"], report["file"]["complete"]),
                                 (parent.json["process"]["pid"], True))
                self.assertEqual(report["allocations"]["calls"]["malloc"], 1)
                self.assertEqual([t["serial"] for t in report["threads"]], [0])
                children += 1
        self.assertEqual(children, forks)

    @staticmethod
    def is_of(dump):
        with open(dump, "rb") as file:
            return len(file.read(60000)) > 30000  # the parent's holds many records


if __name__ == "__main__":
    harness.main()
