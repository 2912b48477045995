#!/usr/bin/env python3
"""Unmodified programs do the same with the library in them, and leave whole dumps."""
import os
import shutil
import signal
import socket
import subprocess
import time
import unittest

import telemetry_harness as harness

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")


def script(name):
    with open(os.path.join(SCRIPTS, name), "rb") as file:
        return file.read()


class Programs(harness.TelemetryTest):
    def unchanged(self, command, main_program, status=0, **more):
        """Same everywhere; every dump is whole; one of them is the program's and counted calls. Gives its report."""
        outcomes = self.same_everywhere(command, **more)
        self.assertEqual(outcomes["plain"].status, status, outcomes["plain"].stderr[-500:])
        self.assertTrue(outcomes["tlrun"].said, "tlrun said nothing")
        reports = [self.assert_whole(dump) for dump in self.dumps()]
        own = [r for r in reports if r.json["process"]["program"] == main_program]
        self.assertGreaterEqual(len(own), 2, f"no dump of {main_program} in {self.dumps()}")
        for report in own:
            self.assertTrue(report.json["allocations"]["observable"])
            self.assertGreater(report.calls["malloc"], 0)
            self.assertGreater(report.calls["free"], 0)
        return own[0]

    def test_sqlite3(self):
        self.unchanged(["sqlite3", "-batch", ":memory:"], "sqlite3", input=script("work.sql"))

    def test_sqlite3_with_time(self):
        report = self.unchanged(["sqlite3", "-batch", ":memory:"], "sqlite3", input=script("work.sql"), env={"TL_ALLOC": "time"})
        latency = report.json["allocations"]["latency"]
        self.assertEqual(sum(row["count"] for row in latency if row["call"] == "malloc"), report.calls["malloc"])
        for row in latency:
            times = row["latency_ns"]
            self.assertLessEqual(times["p50"], times["p99"])
            self.assertLessEqual(times["p99"], times["max"])

    def test_python3(self):
        code = ("import json, re, threading\n"
                "words = [str(i * i) for i in range(20000)]\n"
                "workers = [threading.Thread(target=lambda: [bytes(i) for i in range(3000)]) for _ in range(4)]\n"
                "[w.start() for w in workers]; [w.join() for w in workers]\n"
                "print(len(json.dumps(words)), len(re.findall('77', ' '.join(words))))\n")
        self.unchanged(["/usr/bin/python3", "-c", code], "python3")

    def test_perl(self):
        self.unchanged(["perl", os.path.join(SCRIPTS, "work.pl")], "perl", env={"PERL_HASH_SEED": "0"})

    def test_bash_pipeline(self):
        code = ("set -o pipefail\n"
                "words() { for i in {1..300}; do echo $((i * 7919 % 1000)) word$i; done; }\n"
                "words | sort -n | awk '{ sum += $1; print $2 } END { print sum }' | tail -n 5 | tee copy\n"
                "( echo in a subshell; exit 3 ) | cat; echo status ${PIPESTATUS[*]} $(wc -l < copy)\n"
                "sleep 0.1 & wait $!; echo done >&2; exit 9\n")
        report = self.unchanged(["bash", "-c", code], "bash", status=9)
        self.assertTrue(self.dumps("sort") and self.dumps("tail"), self.dumps())
        self.assertEqual(report.json["process"]["command"][:2], ["bash", "-c"])

    def test_git(self):
        code = ("set -e; git init -q -b trunk repo; cd repo\n"
                "for i in 1 2 3 4 5; do seq $((i * 100)) > file$i; git add .; git commit -q -m \"change $i\"; done\n"
                "git log --stat --format='%H %an %s'; git gc -q; git fsck; git count-objects; git diff HEAD~2 | sha1sum\n")
        env = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2024-01-01T00:00:00Z"))}
        repository = os.path.join(self.home, "repo")
        self.unchanged(["bash", "-c", code], "git", env=env, before=lambda: shutil.rmtree(repository, ignore_errors=True))

    def test_compiler(self):
        source = os.path.join(self.home, "a.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <map>\n#include <string>\n#include <vector>\n"
                       "std::map<std::string, std::vector<int>> all;\nint main() { return all.size(); }\n")

        def made():
            with open(os.path.join(self.home, "a.o"), "rb") as file:
                return file.read()

        self.unchanged(["g++", "-O1", "-c", source, "-o", os.path.join(self.home, "a.o")], "g++", after=made)
        self.assertTrue(self.dumps("cc1plus"))

    def test_node(self):
        code = ("const words = Array.from({length: 20000}, (_, i) => String(i * i));"
                "setTimeout(() => console.log(JSON.stringify(words).length), 5); console.error('started')")
        self.unchanged(["node", "-e", code], "node")

    def test_java(self):
        self.unchanged(["java", "-version"], "java")

    def test_killed_by_a_signal(self):
        code = 'my @a = map { "x" x $_ } 1 .. 1000; $| = 1; print "ready\\n"; kill "TERM", $$; sleep 5'
        outcomes = self.same_everywhere(["perl", "-e", code])
        self.assertEqual(outcomes["plain"].status, -signal.SIGTERM)
        # Under tlrun; the run with the bare library left its dump to it as well.
        reports = [self.report(dump) for dump in self.dumps("perl")]
        self.assertEqual(sorted(r.json["process"]["ended"] for r in reports), ["killed", "signal"])
        for report in reports:
            self.assertGreater(report.calls["malloc"], 1000)


class Redis(harness.TelemetryTest):
    def setUp(self):
        super().setUp()
        self.server_binary = os.path.join(self.home, "redis-server")
        os.symlink("/usr/bin/redis-check-rdb", self.server_binary)  # one binary, told apart by its name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])

    def server(self, mode, env):
        return self.start([self.server_binary, "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                           "--daemonize", "no", "--logfile", os.path.join(self.home, "log"), "--dir", self.home], mode, env=env)

    def client(self, *words):
        return subprocess.run(words, capture_output=True, text=True, timeout=harness.SECONDS, check=False)

    def wait_until_up(self):
        for _ in range(200):
            if self.client("redis-cli", "-p", self.port, "ping").stdout == "PONG\n":
                return
            time.sleep(0.05)
        self.fail("redis does not answer")

    def under_load(self, mode):
        server = self.server(mode, {"TL_ALLOC": "time"})
        self.addCleanup(server.kill)
        self.wait_until_up()
        load = self.client("redis-benchmark", "-p", self.port, "-n", "20000", "-t", "set,get,lpush,lpop,sadd", "-r", "1000", "-q", "--csv")
        size = self.client("redis-cli", "-p", self.port, "dbsize").stdout
        self.client("redis-cli", "-p", self.port, "shutdown", "nosave")
        stdout, stderr = server.communicate(timeout=harness.SECONDS)
        stderr, said = harness.split_own_lines(stderr)
        tests = [line.split(",")[0] for line in load.stdout.splitlines()]
        return (server.returncode, stdout, stderr, load.returncode, tests, size != ""), said

    def test_under_load(self):
        plain, _ = self.under_load("plain")
        self.assertEqual(plain[0], 0)
        for mode in ("preload", "tlrun"):
            self.assertEqual(self.under_load(mode)[0], plain, mode)
        for dump in self.dumps("redis-server"):
            report = self.assert_whole(dump)
            names = {thread["name"] for thread in report.json["threads"]}
            self.assertIn("redis-server", names)
            self.assertIn("bio_close_file", names)  # named by the thread itself, later
        self.assertEqual(len(self.dumps("redis-server")), 2)


if __name__ == "__main__":
    harness.main()
