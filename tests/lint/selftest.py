#!/usr/bin/env python3
"""The lint itself: each check is fed something wrong and must say so, and something right and must not."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def lint(script, *arguments):
    done = subprocess.run([sys.executable, os.path.join(HERE, script), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


class Tree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return full

    def compiled(self, name, code, *flags):
        source = self.write(name + ".c", code)
        target = os.path.join(self.root, name)
        subprocess.run(["gcc", *flags, "-o", target, source], check=True)
        return target


class Includes(Tree):
    def faults(self):
        status, text = lint("includes.py", self.root)
        self.assertEqual(status, 1 if text else 0)
        return text

    def test_allowed_edges_pass(self):
        self.write("src/base/limits.h", "#include <cstdint>\n")
        self.write("src/os/file.h", '#include "base/limits.h"\n')
        self.write("src/clock/tsc.h", '#include "base/limits.h"\n')
        self.write("src/record/hot.h", '#include "clock/tsc.h"\n#include "record/ring.h"\n')
        self.write("src/record/ring.h", '#include "base/limits.h"\n')
        self.assertEqual(self.faults(), "")

    def test_wrong_edge(self):
        self.write("src/read/source.h", "\n")
        self.write("src/base/limits.h", '\n#include "read/source.h"\n')
        self.assertEqual(self.faults(), "src/base/limits.h:2: src/base may not include src/read/source.h\n")

    def test_the_hot_path_may_not_go_through_the_door_to_the_kernel(self):
        self.write("src/os/file.h", "\n")
        self.write("src/record/registry.cpp", '#include "os/file.h"\n')
        self.assertEqual(self.faults(), "")
        self.write("src/record/hot.h", '#include "os/file.h"\n')
        self.assertIn("src/record/hot.h:1:", self.faults())

    def test_folder_without_a_row(self):
        self.write("src/base/limits.h", "\n")
        self.write("src/novelty/thing.h", '#include "base/limits.h"\n')
        self.assertIn("src/novelty", self.faults())

    def test_circle_of_files(self):
        self.write("src/base/a.h", '#include "base/b.h"\n')
        self.write("src/base/b.h", '#include "base/a.h"\n')
        self.assertIn("circle of files: src/base/a.h -> src/base/b.h -> src/base/a.h", self.faults())

    def test_relative_include(self):
        self.write("src/base/a.h", '#include "b.h"\n')
        self.write("src/base/b.h", "\n")
        self.assertIn('"b.h" is not written from', self.faults())


class Symbols(Tree):
    MAP = "TL_1 { global: tl_*; malloc; local: *; };\n"

    def test_exports(self):
        where = self.write("a.map", self.MAP)
        good = self.compiled("good", "void tl_a(void) {} void malloc_(void) {} void *malloc(unsigned long n) { return (void *)n; }",
                             "-w", "-fno-builtin", "-shared", "-fPIC", f"-Wl,--version-script={where}")
        self.assertEqual(lint("symbols.py", "exports", good, where), (0, ""))
        leaky = self.compiled("leaky", "void tl_a(void) {} void leak(void) {}", "-shared", "-fPIC")
        status, text = lint("symbols.py", "exports", leaky, where)
        self.assertEqual(status, 1)
        self.assertIn("exports leak,", text)
        self.assertIn("names malloc,", text)

    def test_a_map_that_hides_nothing(self):
        where = self.write("a.map", "TL_1 { global: tl_*; };\n")
        self.assertNotEqual(lint("symbols.py", "exports", "/bin/true", where)[0], 0)

    def test_undefined(self):
        allowed = self.write("allowed.txt", "# of libc\nmemcpy\n")
        one = self.compiled("one.o", "void other(void); void *malloc(unsigned long); void *f(void) { other(); return malloc(1); }", "-c", "-w")
        two = self.compiled("two.o", "void other(void) {}", "-c")
        status, text = lint("symbols.py", "undefined", allowed, one, two)
        self.assertEqual(status, 1)
        self.assertIn("needs malloc,", text)
        self.assertNotIn("other", text)
        self.assertEqual(lint("symbols.py", "undefined", allowed, two), (0, ""))
        self.assertEqual(lint("symbols.py", "undefined", allowed)[0], 1)

    def test_needed(self):
        plain = self.compiled("plain", "int tl;", "-shared", "-fPIC")
        self.assertEqual(lint("symbols.py", "needed", plain), (0, ""))
        more = self.compiled("more", "int tl;", "-shared", "-fPIC", "-Wl,--no-as-needed", "-lm")
        self.assertEqual(lint("symbols.py", "needed", more)[0], 1)


class Text(Tree):
    def test_each_fault(self):
        machine = "/" + "work" + "/main"
        for text, fault in (("a \n", "white space"), ("a", "no newline"), ("a\n\n", "empty lines"), ("\ta\n", "a tab"),
                            ("a\r\n", "white space"), ("a\n" * 401, "401 lines"), (f"// {machine}\n", "one machine"),
                            ("<<<<<<< HEAD\n", "merge")):
            with self.subTest(fault):
                self.write("src/base/a.h", text)
                status, said = lint("text.py", self.root)
                self.assertEqual(status, 1)
                self.assertIn(fault, said)

    def test_clean(self):
        self.write("src/base/a.h", "int a;\n" * 400)
        self.write("build/junk.h", "junk \n")
        self.assertEqual(lint("text.py", self.root), (0, ""))


class Format(Tree):
    def test_clang_format_refuses(self):
        ugly = self.write("a.cpp", "int  main( ){return 0 ;}\n")
        done = subprocess.run(["clang-format-14", "--dry-run", "-Werror", "--style=Google", ugly], capture_output=True)
        self.assertNotEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
