#!/usr/bin/env python3
"""unshare() and setns(): what the kernel grants to a process of one thread, it grants while it is recorded too."""
import telemetry_harness as harness

NAMESPACES = harness.target("namespaces")


class Namespaces(harness.TelemetryTest):
    def same_and_exact(self, *arguments):
        outcomes = self.same_everywhere([NAMESPACES, *arguments])
        self.assertEqual(outcomes["plain"].status, 0)
        for dump in self.dumps():
            self.assertEqual(self.assert_whole(dump).scope("work")["count"], 12000)
        return outcomes["plain"].stdout

    def test_of_one_thread(self):
        for _ in range(10):
            said = self.same_and_exact()
            self.forget_dumps()
        if b"unshare(CLONE_NEWUSER) 0" not in said:
            self.skipTest("user namespaces are forbidden here; the results were the same")

    def test_of_two_threads(self):
        self.assertIn(b"unshare(CLONE_NEWUSER) -1 22\n", self.same_and_exact("thread"))

    def test_of_util_linux(self):
        outcomes = self.same_everywhere(["unshare", "--user", "--map-root-user", "sh", "-c", "id -u; exit 5"])
        self.assertIn(outcomes["plain"].status, (1, 5))


if __name__ == "__main__":
    harness.main()
