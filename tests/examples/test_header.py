#!/usr/bin/env python3
"""telemetry.h and telemetry.hpp in each language, by each compiler, with the library, without it, and switched off."""
import itertools
import os
import shutil
import subprocess

import telemetry_harness as harness

INCLUDE = os.path.join(harness.SOURCE, "include")
STRICT = ["-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-I" + INCLUDE]
C_CODE = """#include <telemetry/telemetry.h>
int main(void) { int i; for (i = 0; i < 10; i++) { TL_BEGIN("outer"); TL_BEGIN("inner"); TL_END("inner"); TL_END("outer"); }
return 0; }
"""
CPP_CODE = """#include <telemetry/telemetry.hpp>
int main() { for (int i = 0; i < 10; i++) { TL_SCOPE("outer"); { TL_SCOPE("inner"); } } return 0; }
"""


class Header(harness.TelemetryTest):
    def compiled(self, code, suffix, compiler, *flags):
        source, program = os.path.join(self.home, "program" + suffix), os.path.join(self.home, "program")
        with open(source, "w") as file:
            file.write(code)
        done = subprocess.run([compiler, *STRICT, source, "-o", program, *flags], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (compiler, flags))
        return program

    def check(self, program, counts):
        self.assertEqual(self.run_program([program], "linked").status, 0)
        self.forget_dumps()
        self.assertEqual(self.run_program([program], "preload").status, 0)
        if not counts:
            return self.forget_dumps()
        report = self.one_report()
        self.forget_dumps()
        self.assertEqual([report.scope("outer")["count"], report.scope("inner")["count"]], [10, 10])

    def test_weak(self):
        """One binary that runs with and without the library. (clang 14 without -fPIE resolves weak references for good.)"""
        kinds = [["-fpie", "-pie"], ["-fno-pie", "-no-pie"]]
        languages = [(C_CODE, ".c", "c", ("c99", "c11")), (CPP_CODE, ".cpp", "c++", ("c++17", "c++20"))]
        for (code, suffix, language, standards), kind in itertools.product(languages, kinds):
            for standard, compiler in itertools.product(standards, ("gcc", "clang-14")):
                if language == "c++":
                    compiler = {"gcc": "g++", "clang-14": "clang++-14"}[compiler]
                if compiler.startswith("clang") and "-no-pie" in kind:
                    continue
                with self.subTest(standard=standard, compiler=compiler, kind=kind):
                    self.check(self.compiled(code, suffix, compiler, "-std=" + standard, *kind), True)

    def test_switched_off(self):
        for code, suffix, compiler in ((C_CODE, ".c", "gcc"), (CPP_CODE, ".cpp", "g++")):
            program = self.compiled(code, suffix, compiler, "-DTL_DISABLE")
            symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
            self.assertNotIn(" tl_", symbols)
            self.check(program, False)

    def test_installed_package(self):
        """find_package(telemetry) in another project, from an installed copy."""
        prefix, project = os.path.join(self.home, "prefix"), os.path.join(self.home, "project")
        run = lambda *command: subprocess.run(command, check=True, capture_output=True)
        run("cmake", "--install", harness.BUILD, "--prefix", prefix)
        os.mkdir(project)
        with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(user C)\nfind_package(telemetry REQUIRED)\n"
                       "add_executable(program main.c)\ntarget_link_libraries(program telemetry::telemetry)\n")
        with open(os.path.join(project, "main.c"), "w") as file:
            file.write(C_CODE)
        run("cmake", "-S", project, "-B", project + "/build", "-DCMAKE_PREFIX_PATH=" + prefix)
        run("cmake", "--build", project + "/build")
        program = os.path.join(project, "build", "program")
        self.assertIn("libtelemetry.so", subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout)
        self.assertEqual(self.run_program([program], "linked").status, 0)
        self.assertEqual(self.one_report().scope("outer")["count"], 10)
        shutil.rmtree(prefix)


if __name__ == "__main__":
    harness.main()
