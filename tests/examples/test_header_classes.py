#!/usr/bin/env python3
"""The classes of telemetry.hpp: what each calls, what is recorded of it, and the guard against allocations."""
import os
import re
import signal
import subprocess

import header_build as build
import telemetry_harness as harness

IDS = {"A": 1065, "B": 1066, "C": 1067, "D": 1068, "S": 1083, "none": 0xffffffff}  # as the stand-in gives them
CALLED = """- scopes, left by the end of the block
tl_scope_begin {A}
tl_scope_begin_mid {B}
tl_scope_begin_hard {C}
tl_scope_begin_at {D} abc
- end
tl_scope_end {D}
tl_scope_end_hard {C}
tl_scope_end_mid {B}
tl_scope_end {A}
- modes that differ
tl_scope_begin {A}
tl_scope_begin_hard {B}
tl_scope_begin_at {C} def
tl_scope_end_mid {C}
tl_scope_end_mid {B}
tl_scope_end_hard {A}
- left early
tl_scope_begin {A}
tl_scope_end {A}
- left early
tl_scope_begin {A}
tl_scope_end {A}
- a chain inside a scope
tl_scope_begin {A}
tl_scope_begin {B}
tl_scope_next {C}
tl_scope_next 0
tl_scope_begin {D}
- end
tl_scope_next 0
tl_scope_end {A}
- a chain with names that can have no id
tl_scope_begin {none}
tl_scope_begin {none}
tl_scope_begin {B}
tl_scope_next 0
tl_scope_begin {none}
- a span
tl_span {S} 1111111111111111 1111111111111111
- a pause
tl_pause
tl_resume
- a count
1 8
""".format(**IDS)
NOT_THERE = re.sub(r"(?m)^tl_.*\n", "", CALLED).replace("\n1 8\n", "\n-1 -1\n")
NOT_COUNTED = "allocations are not counted, nothing was measured: "


class Classes(build.HeaderTest):
    def check(self, with_stand_in, plain, *flags):
        for _, compiler, standard in build.every(build.CPP):
            for level in ("-O0", "-O2", "-Os"):
                with self.subTest(compiler=compiler, standard=standard, level=level):
                    program = self.compiled(self.source("every_class.cpp"), "program", compiler, standard, level, *flags)
                    self.assertEqual(self.output(program, self.stand_in()), with_stand_in)
                    self.assertEqual(self.output(program), plain)

    def test_calls(self):
        self.check(CALLED, NOT_THERE)

    def test_calls_linked(self):
        self.check(CALLED, CALLED, "-DTL_LINKED", self.stand_in(), "-Wl,-rpath," + self.home)

    def test_switched_off(self):
        self.check(NOT_THERE, NOT_THERE, "-DTL_DISABLE")

    def test_without_exceptions_and_rtti(self):
        self.check(CALLED, NOT_THERE, "-fno-exceptions", "-fno-rtti")

    def test_recorded(self):
        program = self.compiled(self.source("every_class.cpp"), "program", "g++", "-std=c++17", "-O2")
        self.assertEqual(self.run_program([program]).status, 0)
        report = self.one_report()
        self.assertEqual([report.scope(name)["count"] for name in "ABCD"], [5, 4, 3, 2])
        self.assertEqual([report.scope(name)["mismatched"] + report.scope(name)["unfinished"] for name in "ABCD"], [0] * 4)
        self.assertEqual(report.json["losses"]["by_cause"]["bad_id"], 3)

    def test_older_language(self):
        """telemetry.hpp says what it needs."""
        source = self.write("old.cpp", "#include <telemetry/telemetry.hpp>\n")
        for compiler in build.COMPILERS[build.CPP]:
            done = subprocess.run([compiler, "-I" + build.INCLUDE, "-std=c++14", "-c", source, "-o", self.path("old.o")],
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("telemetry.hpp needs C++17", done.stderr)


class Guard(build.HeaderTest):
    def compiled_guards(self, *flags):
        return self.compiled(self.source("guards.cpp"), "guards", "g++", "-std=c++17", "-O2", "-pthread", *flags)

    def run_guard(self, case, mode="preload", env=None):
        done = self.run_program([self.path("guards"), case], mode, env=env)
        return done.status, done.stdout.decode(), done.stderr.decode()

    def expected(self, case, what):
        """The line of the guard in `case`, with its place in the source."""
        with open(self.source("guards.cpp")) as file:
            lines = file.read().split("\n")
        start = next(i for i, line in enumerate(lines) if f'"{case}"' in line)
        number = next(i for i in range(start, len(lines)) if "NoAllocation guard" in lines[i]) + 1
        return f'{self.source("guards.cpp")}:{number}: {what}'

    def test_under_the_library(self):
        self.compiled_guards()
        found = "allocated {} times ({} bytes) where nothing may be allocated"
        for mode in ("preload", "tlrun"):
            self.assertEqual(self.run_guard("nothing", mode), (0, "done\n", ""))
        self.assertEqual(self.run_guard("aborts", "tlrun"),
                         (-signal.SIGABRT, "", self.expected("aborts", found.format(1, 10)) + "\n"))
        self.assertEqual(self.run_guard("twice"), (0, "1 of 30\nfailed: " + self.expected("twice", found.format(2, 42)) +
                                                   "\n0\ndone\n", ""))
        self.assertEqual(self.run_guard("checked"), (0, "1 1\ndone\n", ""))
        self.assertEqual(self.run_guard("throws"), (0, "thrown: " + self.expected("throws", found.format(1, 1)) + "\ndone\n", ""))
        self.assertEqual(self.run_guard("new"), (0, "failed: " + self.expected("new", found.format(2, 133)) + "\ndone\n", ""))
        self.assertEqual(self.run_guard("elsewhere"), (0, "failed: " + self.expected(
            "elsewhere", "checked on another thread than it was made on: nothing was measured") + "\ndone\n", ""))

    def test_where_nothing_is_counted(self):
        """A zero that nobody measured is no pass."""
        self.compiled_guards()
        for mode, env in (("plain", None), ("preload", {"TL_ALLOC": "off"}), ("preload", {"TL_DISABLE": "1"})):
            with self.subTest(mode=mode, env=env):
                status, stdout, stderr = self.run_guard("checked", mode, env)
                self.assertEqual((status, stderr), (0, ""))
                self.assertIn(self.expected("checked", NOT_COUNTED + "run this linked with the library"), stdout)
                self.assertIn("\n0 0\ndone\n", stdout)
                status, stdout, stderr = self.run_guard("aborts", mode.replace("preload", "tlrun"), env)
                self.assertEqual((status, stdout), (-signal.SIGABRT, ""))
                self.assertIn(self.expected("aborts", NOT_COUNTED), stderr)
                self.assertEqual(stderr.count("\n"), 1)

    def test_with_a_malloc_of_its_own(self):
        malloc = self.write("malloc.c", "#include <stddef.h>\nvoid* __libc_malloc(size_t);\nvoid* malloc(size_t);\n"
                            "void* malloc(size_t bytes) { return __libc_malloc(bytes); }\n")
        self.tool("gcc", "-O2", "-fno-builtin", "-c", malloc, "-o", self.path("malloc.o"))
        self.compiled_guards(self.path("malloc.o"))
        self.assertIn(NOT_COUNTED, self.run_guard("checked")[1])
        self.assertEqual(self.dumps(), [])  # nothing was seen

    def test_switched_off(self):
        self.compiled_guards("-DTL_DISABLE")
        self.assertIn(NOT_COUNTED + "built with TL_DISABLE", self.run_guard("checked")[1])

    def test_with_a_test_framework(self):
        program = os.path.join(harness.BUILD, "tests", "examples", "no_allocation_test")
        done = self.run_program([program], "preload")
        self.assertEqual(done.status, 1)
        self.assertIn(b"[       OK ] Orders.FillsWhatWasReserved", done.stdout)
        self.assertIn(b"[  FAILED  ] Orders.GrowsWithoutReserving", done.stdout)
        self.assertIn(b"allocated 8 times (1020 bytes)", done.stdout)  # of 4, 8, ... 512 bytes
        done = self.run_program([program], "plain")
        self.assertEqual((done.status, done.stdout.count(b"[       OK ]")), (1, 0))
        self.assertEqual(done.stdout.count(NOT_COUNTED.encode()), 2)


if __name__ == "__main__":
    harness.main()
