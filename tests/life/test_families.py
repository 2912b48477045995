#!/usr/bin/env python3
"""Processes that come from one another, each recorded in a dump of its own: forks, spawns, exec chains, daemons; and
TL_FOLLOW, TL_ONLY, which choose among them."""
import os
import subprocess

import telemetry_harness as harness

FAMILY = harness.target("family")
# What each way leaves: scopes of the first process and of the others, in the order of their starts.
WAYS = {"fork": [100, 20], "thread": [100, 20], "threads": [100, 7], "vfork": [100, 7], "fork_exec": [100, 7], "spawn": [100, 7],
        "system": [100, 7], "popen": [100, 7], "chain": [100, 50, 7], "daemon": [100, 30], "daemon_exec": [100, 7]}


class Families(harness.TelemetryTest):
    def family(self, way, mode="preload", env=None, **more):
        """Reports of the processes that recorded scopes, by start; TL_ALLOC=off leaves only those."""
        done = self.run_program([FAMILY, way], mode, env={"TL_ALLOC": "off", **(env or {})}, **more)
        self.assertEqual((done.status, done.stdout, done.stderr), (3 if way in ("fork", "thread") else 0, b"", b""), (way, mode))
        reports = sorted((self.assert_whole(dump) for dump in self.dumps()), key=lambda r: r.json["process"]["start_unix_ns"])
        self.forget_dumps()
        return reports, done

    @staticmethod
    def counts(reports):
        return [report.scope("work")["count"] for report in reports]

    def test_each_process_its_dump(self):
        for way, wanted in WAYS.items():
            self.assertEqual(self.run_program([FAMILY, way], "plain").status, 3 if way in ("fork", "thread") else 0, way)
            for mode in ("preload", "tlrun"):
                reports, done = self.family(way, mode)
                self.assertEqual(self.counts(reports), wanted, (way, mode))
                if mode == "tlrun":
                    self.assertTrue(any(f"{len(wanted)} dumps in all" in line for line in done.said), (way, done.said))

    def test_parents(self):
        for way, relation in (("fork", "child"), ("thread", "child"), ("vfork", "child"), ("spawn", "child"), ("chain", "same"),
                              ("daemon", "grandchild")):
            reports, _ = self.family(way)
            first, last = reports[0].json["process"], reports[-1].json["process"]
            self.assertEqual(first["parent_pid"], os.getpid(), way)
            if relation == "child":
                self.assertEqual(last["parent_pid"], first["pid"], way)
            elif relation == "same":
                self.assertEqual((last["pid"], last["parent_pid"]), (first["pid"], os.getpid()), way)
            else:  # the one between them is gone when the daemon records; its name is still known
                self.assertNotIn(last["parent_pid"], (0, 1, first["pid"], last["pid"]), way)

    def test_first_of_a_fork_child_is_who_forked(self):
        for alloc in ("off", "count"):
            child = self.family("threads", env={"TL_ALLOC": alloc})[0][1]
            scopes = {thread["serial"]: thread["scopes"] for thread in child.json["threads"]}
            self.assertEqual({serial: scopes[serial] for serial in (0, 2)}, {0: 5, 2: 2}, scopes)
            self.assertEqual(scopes.get(1, 0), 0)
            of_thread = self.family("thread", env={"TL_ALLOC": alloc})[0][1]
            self.assertEqual([(t["serial"], t["scopes"]) for t in of_thread.json["threads"]], [(0, 20)])

    def test_not_followed(self):
        for mode in ("preload", "tlrun"):
            for way in WAYS:
                wanted = [100, 50, 7] if way == "chain" else [100]
                if (way, mode) == ("daemon_exec", "preload"):
                    continue  # not promised: the daemon's ancestors are gone
                self.assertEqual(self.counts(self.family(way, mode, env={"TL_FOLLOW": "0"})[0]), wanted, (way, mode))

    def test_not_followed_as_an_option(self):
        self.assertEqual(self.counts(self.family("fork", "tlrun", options=["--follow", "0"])[0]), [100])
        self.assertEqual(self.counts(self.family("fork", "tlrun", options=["--follow=1"], env={"TL_FOLLOW": "0"})[0]), [100, 20])

    def test_not_followed_leaves_nothing_and_prints_nothing(self):
        self.same_everywhere([FAMILY, "system"], env={"TL_FOLLOW": "0"})
        self.assertEqual(len(self.dumps()), 2)  # one of each mode

    def test_a_launcher_inside_starts_anew(self):
        code = f"{harness.TLRUN} -- {FAMILY} fork 2>&1"
        done = self.run_program(["sh", "-c", code], "tlrun", env={"TL_FOLLOW": "0", "TL_ALLOC": "off"})
        self.assertEqual(self.counts([self.assert_whole(dump) for dump in self.dumps("family")]), [100])
        self.assertIn(b"tlrun: dump: ", done.stdout)

    def test_only(self):
        code = f"ls / >/dev/null; {FAMILY} fork; {FAMILY} vfork; exec ls / >/dev/null"
        for names, wanted in (("family", {"family"}), ("f?m*,wc", {"family"}), ("ls,sh", {"ls", "sh"}), ("", {"family", "ls", "sh"}),
                              ("nobody", set()), ("FAMILY", set()), ("famil", set())):
            for mode in ("preload", "tlrun"):
                done = self.run_program(["sh", "-c", code], mode, env={"TL_ONLY": names})
                self.assertEqual((done.status, done.stderr), (0, b""))
                programs = [self.assert_whole(dump).json["process"]["program"] for dump in self.dumps()]
                self.assertEqual(set(programs), wanted, (names, mode))
                if "family" in wanted:
                    self.assertEqual(programs.count("family"), 4, (names, mode))
                if mode == "tlrun" and not wanted:
                    self.assertIn("TL_ONLY", done.said[0])
                self.forget_dumps()

    def test_only_is_by_the_name_as_started(self):
        for argv0, dumps in (("other", 0), ("/x/y/mine", 1), ("-mine", 0)):
            env = {**self.environment({"TL_ONLY": "mine"}), "LD_PRELOAD": harness.LIBRARY}
            subprocess.run([argv0, "leaf"], executable=FAMILY, env=env, check=True, cwd=self.home)
            self.assertEqual(len(self.dumps()), dumps, argv0)
            self.forget_dumps()

    def test_who_is_left_out_opens_nothing(self):
        def files(env):
            traced = os.path.join(self.home, "traced")
            words = [word for name, value in env.items() for word in ("-E", f"{name}={value}")]
            subprocess.run(["strace", "-f", "-o", traced, "-e", "trace=file,clone,clone3", *words, FAMILY, "leaf"], check=True,
                           env=self.environment())
            with open(traced, encoding="utf-8") as file:
                return [line.split(" ", 1)[1] for line in file if "libtelemetry.so" not in line and "exited" not in line]
        plain = [line.split("(")[0] for line in files({})]
        out = files({"LD_PRELOAD": harness.LIBRARY, "TL_ONLY": "nobody"})
        self.assertEqual([line for line in out if "/dev/shm" in line or "/proc" in line or "clone" in line], [])
        self.assertLessEqual(len(out), len(plain) + 2)

    def test_values(self):
        for name, bad in (("TL_FOLLOW", ("2", "", "0:", "0:1", "1:0:1", "0:x:1", "0:1:2:3")), ("TL_ONLY", ("a,", ",a", "a,,b"))):
            for value in bad:
                done = self.run_program([FAMILY, "leaf"], env={name: value})
                lines = done.stderr.decode().splitlines()
                self.assertEqual((done.status, len(lines)), (0, 1), (name, value))
                for part in (name, f"'{value}'", "accepted"):
                    self.assertIn(part, lines[0])
                self.assert_whole(self.dumps()[0])
                self.forget_dumps()


if __name__ == "__main__":
    harness.main()
