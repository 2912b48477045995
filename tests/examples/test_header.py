#!/usr/bin/env python3
"""telemetry.h and telemetry.hpp in each language, by each compiler, with the library, without it, and switched off."""
import itertools
import os
import shutil

import header_build as build
import telemetry_harness as harness

C_CODE = """#include <telemetry/telemetry.h>
int annotated(int times);
int annotated(int times) {
  int i;
  for (i = 0; i < times; i++) { TL_BEGIN("outer"); TL_BEGIN("inner"); TL_END("inner"); TL_END("outer"); }
  return i;
}
"""
CPP_CODE = """#include <telemetry/telemetry.hpp>
extern "C" int annotated(int times);
int annotated(int times) {
  int i = 0;
  for (; i < times; i++) { TL_SCOPE("outer"); { TL_SCOPE("inner"); } }
  return i;
}
"""
MAIN = """#include <stdio.h>
int annotated(int times);
int main(void) { printf("%d\\n", annotated(10)); return 0; }
"""
CODE = {build.C: C_CODE, build.CPP: CPP_CODE}


class Header(build.HeaderTest):
    def program(self, language, compiler, kind, *flags, link=()):
        """main() and the annotated part, which is a part of the program or a shared object."""
        compile_as, link_as = build.LINKAGE[kind]
        part = self.write("annotated" + build.SUFFIX[language], CODE[language])
        if not os.path.exists(self.path("main.o")):
            self.tool("gcc", "-fPIC", "-c", self.write("main.c", MAIN), "-o", self.path("main.o"))
        if kind == "shared":
            self.compiled(part, "libannotated.so", compiler, *flags, *compile_as, "-shared", *link)
            self.tool(compiler, self.path("main.o"), self.path("libannotated.so"), "-Wl,-rpath," + self.home, "-o",
                      self.path("program"))
        else:
            self.compiled(part, "annotated.o", compiler, *flags, *compile_as, "-c")
            self.tool(compiler, self.path("annotated.o"), self.path("main.o"), *flags, *link_as, *link, "-o", self.path("program"))
        return self.path("program")

    def check(self, program, mode="preload", counts=(10, 10)):
        done = self.run_program([program], mode)
        self.assertEqual((done.status, done.stdout, done.stderr), (0, b"10\n", b""))
        report = self.one_report()
        self.forget_dumps()
        found = {s["name"]: s["count"] for s in report.json["scopes"] if s["thread"] is None}
        self.assertEqual(found, {"outer": counts[0], "inner": counts[1]} if counts else {})
        self.assertEqual(report.json["losses"]["records"], 0)
        return report.json

    def weak(self, language):
        for language, compiler, standard in build.every(language):
            for kind, level in itertools.product(build.KINDS, build.LEVELS):
                with self.subTest(compiler=compiler, standard=standard, kind=kind, level=level):
                    program = self.program(language, compiler, kind, standard, level)
                    self.assertEqual(self.output(program), "10\n")
                    self.check(program)

    def test_weak_c(self):
        self.weak(build.C)

    def test_weak_cpp(self):
        self.weak(build.CPP)

    def test_weak_with_each_linker(self):
        for linker, language, kind in itertools.product(build.linkers(), (build.C, build.CPP), build.KINDS):
            for compiler, standard in zip(build.COMPILERS[language], build.STANDARDS[language]):
                with self.subTest(linker=linker, compiler=compiler, kind=kind):
                    program = self.program(language, compiler, kind, standard, "-O2", link=["-fuse-ld=" + linker])
                    self.assertEqual(self.output(program), "10\n")
                    self.check(program)

    def test_weak_in_a_static_program(self):
        for compiler in build.COMPILERS[build.C]:
            program = self.program(build.C, compiler, "static", "-O2")
            self.assertEqual(self.output(program), "10\n")

    def test_linked(self):
        flags = ["-DTL_LINKED"]
        link = [harness.LIBRARY, "-Wl,--as-needed", "-Wl,-rpath," + harness.BUILD]
        for language, compiler, standard in build.every(build.C, build.CPP):
            for kind, level in itertools.product(build.KINDS, ("-O0", "-O2")):
                with self.subTest(compiler=compiler, standard=standard, kind=kind, level=level):
                    program = self.program(language, compiler, kind, standard, level, *flags, link=link)
                    # Brought by another library this one comes behind libc: no call of the program's passes it.
                    allocations = self.check(program, "linked")["allocations"]
                    self.assertEqual(allocations["observable"], kind != "shared")

    def test_switched_off(self):
        for language, compiler, standard in build.every(build.C, build.CPP):
            for kind, level in itertools.product(build.KINDS, ("-O0", "-O2")):
                with self.subTest(compiler=compiler, standard=standard, kind=kind, level=level):
                    program = self.program(language, compiler, kind, standard, level, "-DTL_DISABLE")
                    part = self.path("libannotated.so") if kind == "shared" else self.path("annotated.o")
                    self.assertFalse([name for name in self.symbols(part) if "tl_" in name])
                    self.assertEqual(self.output(program), "10\n")
                    self.check(program, counts=None)

    def test_installed_package(self):
        """find_package(telemetry) in another project, from an installed copy."""
        prefix, project = self.path("prefix"), self.path("project")
        self.tool("cmake", "--install", harness.BUILD, "--prefix", prefix)
        os.mkdir(project)
        self.write("project/CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(user C CXX)\n"
                   "find_package(telemetry REQUIRED)\nset(CMAKE_CXX_STANDARD 17)\n"
                   "add_executable(program main.c annotated.cpp)\n"
                   "target_link_libraries(program telemetry::telemetry)\n")
        self.write("project/main.c", MAIN)
        self.write("project/annotated.cpp", CPP_CODE)
        self.tool("cmake", "-S", project, "-B", project + "/build", "-DCMAKE_PREFIX_PATH=" + prefix)
        self.tool("cmake", "--build", project + "/build")
        program = os.path.join(project, "build", "program")
        self.assertIn("libtelemetry.so", self.tool("readelf", "-d", program))
        self.check(program, "linked")
        shutil.rmtree(prefix)


if __name__ == "__main__":
    harness.main()
