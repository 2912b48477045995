#!/usr/bin/env python3
"""The calls of the ABI: the same ones in the header, in the export map and in the library, and each of them reaches a
library with what it was given, in every language and kind of program."""
import itertools
import os
import re

import header_build as build
import telemetry_harness as harness

# The public contract. A call that is added here is documented in telemetry.h, exported, and called by every_call.c.
CALLS = """tl_scope_register tl_scope_begin tl_scope_end tl_scope_begin_mid tl_scope_end_mid tl_scope_begin_hard
tl_scope_end_hard tl_scope_next tl_scope_begin_at tl_ticks tl_ticks_mid tl_ticks_hard_begin tl_ticks_hard_end
tl_ns_from_ticks tl_ticks_from_ns tl_span tl_pulse tl_value tl_mark tl_thread_allocations tl_recording tl_pause tl_resume
tl_flush tl_version tl_abi_version""".split()

CALLED = """tl_scope_register {id:x}
tl_scope_begin {id}
tl_scope_begin_mid {id1}
tl_scope_begin_hard {id2}
tl_scope_end_hard {id3}
tl_scope_end_mid {id4}
tl_scope_end {id5}
tl_scope_next {id6}
tl_scope_begin_at {id7} 123456789abcdef
tl_pulse {id8}
tl_span {id} 1000000000000001 2000000000000002
tl_value {id} -5000000000
tl_mark text
tl_pause
tl_resume
tl_ticks 1111111111111111
tl_ticks_mid 2222222222222222
tl_ticks_hard_begin 3333333333333333
tl_ticks_hard_end 4444444444444444
tl_ns_from_ticks 2.5
tl_ticks_from_ns 5
tl_thread_allocations 0 {count:x}
tl_recording 1, tl_flush -1
tl_version 'stand-in', tl_abi_version ffffffff
"""
NOT_THERE = """tl_scope_register 0
tl_ticks 0
tl_ticks_mid 0
tl_ticks_hard_begin 0
tl_ticks_hard_end 0
tl_ns_from_ticks 0
tl_ticks_from_ns 0
tl_thread_allocations -1 0
tl_recording 0, tl_flush 0
tl_version '', tl_abi_version 0
"""


def called(count):
    id = 1000 + ord("i")
    return CALLED.format(id=id, count=count, **{f"id{i}": id + i for i in range(1, 9)})


CALLED_TWICE = called(40 + 1) + "by address\n" + called(40 + 2)  # the stand-in counts sizeof(tl_allocations) and its calls
NOT_THERE_TWICE = NOT_THERE + "by address\n" + NOT_THERE


def read(*path):
    with open(os.path.join(harness.SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class SameCalls(build.HeaderTest):
    def test_header(self):
        header = read("include", "telemetry", "telemetry.h")
        declared = re.findall(r"^TL_(?:API|FREQUENT) [\w* ]+?\**(tl_\w+)\([^;]*\)\s+TL_(?:API|FREQUENT)_AS\((\w+)\);$", header, re.M)
        self.assertEqual(sorted(name for name, _ in declared), sorted(CALLS))
        self.assertEqual([name for name, label in declared if name != label], [])
        forwarded = re.findall(r"^TL_FORWARD(?:_VOID|_ACTIVE)?\((?:[^,()]+, )?(tl_\w+), \(", header, re.M)
        self.assertEqual(sorted(forwarded), sorted(CALLS))

    def test_exported(self):
        lines = [line.split("#")[0] for line in read("src", "api", "libtelemetry.map").splitlines()]
        self.assertEqual(sorted(re.findall(r"\btl_\w+(?=;)", "\n".join(lines))), sorted({*CALLS, "tl_active"}))
        dynamic = [line.split()[-1] for line in self.tool("nm", "-D", "--defined-only", harness.LIBRARY).splitlines()]
        self.assertEqual(sorted(name for name in dynamic if name.startswith("tl_")), sorted({*CALLS, "tl_active"}))

    def test_these_tests(self):
        self.assertEqual(sorted(re.findall(r"X\(.*, (tl_\w+), ", read("tests", "examples", "header", "every_call.c"))),
                         sorted(CALLS))
        exported = self.symbols(self.stand_in())
        self.assertEqual(sorted(name for name in exported if name.startswith("tl_")), sorted(CALLS))


class EveryCall(build.HeaderTest):
    def program(self, compiler, *flags):
        return self.compiled(self.source("every_call.c"), "program", compiler, *flags)

    def weak(self, language):
        for (_, compiler, standard), kind, level in itertools.product(build.every(language), build.KINDS, build.LEVELS):
            with self.subTest(compiler=compiler, standard=standard, kind=kind, level=level):
                compile_as, link_as = build.KINDS[kind]
                program = self.program(compiler, standard, level, *compile_as, *link_as)
                self.assertEqual(self.output(program), NOT_THERE_TWICE)
                self.assertEqual(self.output(program, self.stand_in()), CALLED_TWICE)

    def test_weak_c(self):
        self.weak(build.C)

    def test_weak_cpp(self):
        self.weak(build.CPP)

    def test_weak_with_odd_flags(self):
        """What turns a call through the table into another one, or asks for code where a call was. (gcc's large code model
        without PIC, hidden visibility, LTO, other linkers, instrumentation.)"""
        odd = [["-mcmodel=large"], ["-fvisibility=hidden"], ["-fno-plt"], ["-masm=intel"], ["-fno-inline"],
               ["-finstrument-functions"], ["-fsanitize=undefined"], ["-Wl,-z,now"], ["-Wl,--no-relax"], ["-Wl,-Bsymbolic"],
               ["-ffunction-sections", "-Wl,--gc-sections"], ["--coverage"], ["-fcf-protection=full"]]
        odd += [["-fuse-ld=" + linker] for linker in build.linkers()]
        for compiler, flags, kind in itertools.product(("gcc", "clang-14"), odd, ("pie", "no pie")):
            with self.subTest(compiler=compiler, flags=flags, kind=kind):
                compile_as, link_as = build.KINDS[kind]
                program = self.program(compiler, "-std=c99", "-O2", *compile_as, *link_as, *flags)
                self.assertEqual(self.output(program), NOT_THERE_TWICE)
                self.assertEqual(self.output(program, self.stand_in()), CALLED_TWICE)

    def test_link_time_optimisation(self):
        clang = ["-fuse-ld=lld"] if "lld" in build.linkers() else None
        for compiler, level, kind in itertools.product(("gcc", "clang-14"), ("-O0", "-O2"), ("pie", "no pie")):
            if compiler == "clang-14" and clang is None:
                continue
            compile_as, link_as = build.KINDS[kind]
            with self.subTest(compiler=compiler, level=level, kind=kind):
                flags = [level, "-flto", *compile_as, *link_as, *(clang if compiler == "clang-14" else ["-flto-partition=one"])]
                program = self.program(compiler, "-std=c99", *flags)
                self.assertEqual(self.output(program), NOT_THERE_TWICE)
                self.assertEqual(self.output(program, self.stand_in()), CALLED_TWICE)

    def test_hidden_by_a_pragma(self):
        """A header of the program's may hide all that it includes."""
        for compiler, kind in itertools.product(("gcc", "clang-14"), build.KINDS):
            compile_as, link_as = build.KINDS[kind]
            before = self.write("before.h", "#pragma GCC visibility push(hidden)\n#include <telemetry/telemetry.h>\n"
                                "#pragma GCC visibility pop\n")
            program = self.program(compiler, "-std=c99", "-O2", *compile_as, *link_as, "-include", before)
            self.assertEqual(self.output(program, self.stand_in()), CALLED_TWICE, (compiler, kind))
            self.program(compiler, "-std=c99", "-O2", *compile_as, *link_as, "-include", before, "-DTL_LINKED", self.stand_in())

    def test_linked(self):
        for (_, compiler, standard), kind, level in itertools.product(build.every(build.C, build.CPP), build.KINDS, ("-O0", "-O2")):
            with self.subTest(compiler=compiler, standard=standard, kind=kind, level=level):
                compile_as, link_as = build.KINDS[kind]
                program = self.program(compiler, standard, level, "-DTL_LINKED", *compile_as, *link_as, self.stand_in(),
                                       "-Wl,--as-needed", "-Wl,-rpath," + self.home)
                self.assertEqual(self.output(program), CALLED_TWICE)

    def test_linked_with_the_library(self):
        program = self.program("gcc", "-std=c99", "-O2", "-DTL_LINKED", harness.LIBRARY, "-Wl,-rpath," + harness.BUILD)
        done = self.run_program([program], "linked")
        self.assertEqual((done.status, done.stderr), (0, b""))

    def test_switched_off(self):
        for _, compiler, standard in build.every(build.C, build.CPP):
            for level in ("-O0", "-O2"):
                program = self.program(compiler, standard, level, "-DTL_DISABLE")
                self.assertEqual(self.output(program, self.stand_in()), NOT_THERE_TWICE)


class Together(build.HeaderTest):
    def test_two_translation_units(self):
        """Each with its own way, addresses taken in both, optimised apart and together."""
        one = self.write("one.c", '#include <telemetry/telemetry.h>\nvoid two(void);\n'
                         'void (*volatile in_one)(tl_scope_id) = tl_scope_end;\n'
                         'int main(void) { tl_scope_begin(1); in_one(2); two(); return 0; }\n')
        two = self.write("two.c", '#include <telemetry/telemetry.h>\nvoid two(void);\n'
                         'void (*volatile in_two)(tl_scope_id) = tl_scope_end;\n'
                         'void two(void) { tl_scope_begin(3); in_two(4); }\n')
        said = {"": ["tl_scope_begin 1\ntl_scope_end 2\n", "tl_scope_begin 3\ntl_scope_end 4\n"], "-DTL_DISABLE": ["", ""]}
        said["-DTL_LINKED"] = said[""]
        levels = (["-O0"], ["-O2"], ["-O0", "-flto", "-flto-partition=one"], ["-O2", "-flto", "-flto-partition=one"])
        for first, second, level in itertools.product(said, said, levels):
            with self.subTest(first=first, second=second, level=level):
                for name, source, how in (("one.o", one, first), ("two.o", two, second)):
                    self.compiled(source, name, "gcc", "-std=c99", *level, "-c", *filter(None, [how]))
                library = [self.stand_in(), "-Wl,-rpath," + self.home] if "-DTL_LINKED" in (first, second) else []
                self.tool("gcc", *level, self.path("one.o"), self.path("two.o"), *library, "-o", self.path("program"))
                self.assertEqual(self.output(self.path("program"), self.stand_in()), said[first][0] + said[second][1])

    def test_classes_of_two_ways(self):
        """An object that is built with TL_DISABLE leaves the classes of another one alone."""
        code = ("#include <telemetry/telemetry.hpp>\nvoid NAME();\n"
                "void NAME() { telemetry::AllocationCount count; printf(\"NAME %d\\n\", count.count() >= 0); }\n")
        main = self.write("main.cpp", "void on();\nvoid off();\nint main() { off(); on(); off(); on(); }\n")
        on, off = (self.write(name + ".cpp", code.replace("NAME", name)) for name in ("on", "off"))
        for compiler, order in itertools.product(build.COMPILERS[build.CPP], (("on.o", "off.o"), ("off.o", "on.o"))):
            self.compiled(on, "on.o", compiler, "-std=c++17", "-O0", "-c")
            self.compiled(off, "off.o", compiler, "-std=c++17", "-O0", "-c", "-DTL_DISABLE")
            self.tool(compiler, main, *map(self.path, order), "-o", self.path("program"))
            self.assertEqual(self.output(self.path("program"), self.stand_in()), "off 0\non 1\n" * 2)


if __name__ == "__main__":
    harness.main()
