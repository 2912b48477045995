#!/usr/bin/env python3
"""Allocation calls of real programs against valgrind, which has counters of its own, to the last one.

valgrind's "total heap usage: N allocs, M frees" follows from single calls, which --trace-malloc=yes prints:
  malloc, calloc, memalign and kin   one alloc, if they give a block
  realloc(p, n)                      one alloc and one free, wherever the block ends up
  realloc(NULL, n)                   one alloc: valgrind prints it as realloc(0x0,n), then serves it by its malloc
  realloc(p, 0)                      one free
  free(p)                            one free; free(NULL) is printed and counted nowhere
reallocarray is realloc to valgrind, since glibc's own calls that; every aligned call is its memalign. So each call's count
must be the same, and N and M must follow from them. Two things are made equal, because programs copy them into blocks of
their own: the environment (valgrind adds four variables, perl copies each) and the kind of stdout.
"""
import glob
import os
import re
import subprocess

import telemetry_harness as harness
from test_programs import SCRIPTS, script

# valgrind's lines. A second call behind "realloc(0x0,9)" or "realloc(0x4A42090,0)" is its own, not the program's.
CALL = re.compile(r"^--\d+-- (malloc|calloc|realloc|memalign|free)\((.*?)\)(.*)$", re.M)
OF_OURS = {"malloc": ("malloc",), "calloc": ("calloc",), "realloc": ("realloc", "reallocarray"), "free": ("free",),
           "memalign": ("memalign", "aligned_alloc", "posix_memalign", "valloc", "pvalloc")}


class Independent(harness.TelemetryTest):
    def traced(self, command, input, env):
        """stdout, calls by name, allocs and frees that the single calls come to, and those of valgrind's summary."""
        log = os.path.join(self.home, "valgrind.log")
        done = subprocess.run(["valgrind", "--run-libc-freeres=no", "--run-cxx-freeres=no", "--trace-malloc=yes",
                               f"--log-file={log}", *command], input=input, env=env, cwd=self.home, capture_output=True,
                              timeout=harness.SECONDS, check=True)
        with open(log, encoding="utf-8", errors="replace") as file:
            text = file.read()
        calls = dict.fromkeys(OF_OURS, 0)
        allocs = frees = 0
        for name, arguments, rest in CALL.findall(text):
            if name == "free" and arguments == "0x0":
                continue
            calls[name] += 1
            if name == "realloc":
                old, size = arguments.split(",")
                frees += old != "0x0"
                allocs += size != "0"
            else:
                frees += name == "free"
                allocs += name != "free" and not rest.endswith(" 0x0")
        usage = re.search(r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees", text)
        summary = tuple(int(number.replace(",", "")) for number in usage.groups())
        return done.stdout, calls, (allocs, frees), summary

    def variables_of_valgrind(self, env):
        shown = subprocess.run(["valgrind", "-q", "/usr/bin/env", "-0"], env=env, cwd=self.home, capture_output=True, check=True)
        lines = [line.split("=", 1) for line in shown.stdout.decode().split("\0") if line]
        return {name: value for name, value in lines if name != "LD_PRELOAD"}

    def same_counts(self, command, input=None, extra=None):
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", **(extra or {})}
        env.update(self.variables_of_valgrind(env))
        stdout, calls, follows, summary = self.traced(command, input, env)
        self.assertEqual(follows, summary, "the trace explains valgrind's own totals")
        ours = subprocess.run(command, input=input, env={**env, "LD_PRELOAD": harness.LIBRARY}, cwd=self.home,
                              capture_output=True, timeout=harness.SECONDS, check=True)
        self.assertEqual(ours.stdout, stdout)
        report = self.report(*glob.glob(os.path.join(self.home, "telemetry.*.tl")))
        counted = {name: sum(report.calls[each] for each in own) for name, own in OF_OURS.items()}
        self.assertEqual(counted, calls)
        print(f"{command[0]}: {summary[0]} allocs, {summary[1]} frees; {calls}")

    def test_sqlite3(self):
        self.same_counts(["/usr/bin/sqlite3", "-batch", ":memory:"], input=script("work.sql"))

    def test_perl(self):
        self.same_counts(["/usr/bin/perl", os.path.join(SCRIPTS, "work.pl")], extra={"PERL_HASH_SEED": "0"})


if __name__ == "__main__":
    harness.main()
