"""Compiles programs against the users' headers in every language, by every compiler, and runs them."""
import itertools
import os
import shutil
import subprocess

import telemetry_harness as harness

INCLUDE = os.path.join(harness.SOURCE, "include")
SOURCES = os.path.join(harness.SOURCE, "tests", "examples", "header")
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-I" + INCLUDE]
C, CPP = "c", "c++"
SUFFIX = {C: ".c", CPP: ".cpp"}
COMPILERS = {C: ("gcc", "clang-14"), CPP: ("g++", "clang++-14")}
STANDARDS = {C: ("-std=c99", "-std=c11"), CPP: ("-std=c++17", "-std=c++20")}
KINDS = {"pie": (["-fpie"], ["-pie"]), "no pie": (["-fno-pie"], ["-no-pie"]), "shared": (["-fPIC"], [])}
LINKAGE = {**KINDS, "static": (["-fno-pie"], ["-static"])}
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")


def every(*languages):
    """(language, compiler, standard) of each language."""
    for language in languages:
        for compiler, standard in itertools.product(COMPILERS[language], STANDARDS[language]):
            yield language, compiler, standard


def linkers():
    return [name for name in ("gold", "lld") if shutil.which("ld." + name)]


class HeaderTest(harness.TelemetryTest):
    def path(self, name):
        return os.path.join(self.home, name)

    def source(self, name):
        return os.path.join(SOURCES, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def tool(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=harness.SECONDS, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def compiled(self, source, output, compiler, *flags):
        """An object, a program or a shared object, without a single warning."""
        language = CPP if "++" in compiler else C
        self.tool(compiler, *STRICT, "-x", language, source, "-x", "none", "-o", self.path(output), *flags)
        return self.path(output)

    def stand_in(self):
        """A library that says what it was called with: independent of the real one."""
        path = self.path("libstand_in.so")
        if not os.path.exists(path):
            self.compiled(self.source("stand_in.c"), "libstand_in.so", "gcc", "-O2", "-fPIC", "-shared")
        return path

    def output(self, program, library=None):
        env = {"PATH": "/usr/bin:/bin", "HOME": self.home}
        if library:
            env["LD_PRELOAD"] = library
        done = subprocess.run([program], env=env, capture_output=True, text=True, timeout=harness.SECONDS, check=False,
                              cwd=self.home)
        self.assertEqual((done.returncode, done.stderr), (0, ""), program)
        return done.stdout

    def symbols(self, file):
        """{name: type} as nm has it."""
        return {line.split()[-1]: line.split()[-2] for line in self.tool("nm", file).splitlines()}

    def undefined(self, file):
        found = {name: kind for name, kind in self.symbols(file).items() if kind in "Uwv"}
        found.pop("_GLOBAL_OFFSET_TABLE_", None)
        return found
