#!/usr/bin/env python3
"""Bad input: one clear line each (what, where, what is accepted), the documented status, the program undisturbed."""
import os
import subprocess

import telemetry_harness as harness

HELLO = ["/bin/sh", "-c", "echo out; echo err >&2; exit 7"]


class Variables(harness.TelemetryTest):
    def one_line(self, env, *parts):
        done = self.run_program([harness.target("hello"), "out"], env=env)
        self.assertEqual((done.status, done.stdout), (7, b"out\n"))
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.one_report()  # the default is used
        self.forget_dumps()

    def test_unknown(self):
        self.one_line({"TL_FOO": "bar"}, "TL_FOO", "bar", "it is ignored")

    def test_rotation_without_a_size(self):
        self.one_line({"TL_ROTATE": "3"}, "TL_ROTATE='3'", "TL_SIZE", "the default is used")

    def test_unusable_values(self):
        for name, value, accepted in (("TL_ALLOC", "sometimes", "time"), ("TL_RING", "1000", "power of two"),
                                      ("TL_RING", "lots", "1024"), ("TL_RING_POOL", "64parsecs", "MiB"),
                                      ("TL_PIN", "main", "pattern"), ("TL_PIN", "#x=1", "pattern"), ("TL_DISABLE", "yes", "0, 1")):
            with self.subTest(f"{name}={value}"):
                self.one_line({name: value}, name, value, accepted)

    def test_not_available_yet(self):
        self.one_line({"TL_KEEP": "recorder"}, "TL_KEEP", "not available")

    def test_each_bad_one_has_its_line(self):
        done = self.run_program([harness.target("hello")], env={"TL_FOO": "1", "TL_BAR": "1", "TL_RING": "x"})
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_help_prints_the_table_and_runs(self):
        done = self.run_program([harness.target("hello"), "out"], env={"TL_HELP": "1"})
        self.assertEqual((done.status, done.stdout), (7, b"out\n"))
        for name in (b"TL_OUTPUT", b"TL_ALLOC", b"TL_PIN", b"TL_RING_POOL", b"TL_DISABLE"):
            self.assertIn(name, done.stderr)

    def test_disabled(self):
        self.same_everywhere(HELLO, env={"TL_DISABLE": "1"})
        self.assertEqual(self.dumps(), [])


class Output(harness.TelemetryTest):
    def test_unwritable(self):
        unique = os.path.basename(self.home) + ".tl"
        with open(os.path.join(self.home, "a-file"), "w", encoding="utf-8"):
            pass
        for path in (f"/nonexistent/{unique}", f"/proc/{unique}", os.path.join(self.home, "a-file", unique)):
            with self.subTest(path):
                plain = self.run_program([harness.target("hello"), "out"], mode="plain")
                bare = self.run_program([harness.target("hello"), "out"], env={"TL_OUTPUT": path})
                self.assertEqual((bare.status, bare.stdout), (plain.status, plain.stdout))
                self.assertEqual(len(bare.stderr.splitlines()), 1, bare.stderr)
                self.assertIn(path.encode(), bare.stderr)
                under = self.run_program([harness.target("hello"), "out"], mode="tlrun", options=["--output", path])
                self.assertEqual((under.status, under.stdout), (plain.status, plain.stdout))
                self.assertTrue(any(path in line for line in under.said) or path.encode() in under.stderr, under)
                self.assertFalse(any("next:" in line for line in under.said), under.said)
                # What cannot be written is kept, for a tlreport that reads it from there.
                for left in self.left_in_memory(unique):
                    os.remove(left)

    def test_never_overwritten(self):
        fixed = os.path.join(self.dumps_in, "fixed.tl")
        with open(fixed, "w", encoding="utf-8") as file:
            file.write("precious")
        for _ in range(2):
            self.assertEqual(self.run_program([harness.target("hello"), "out"], env={"TL_OUTPUT": fixed}).status, 7)
        with open(fixed, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        for suffix in (".1", ".2"):
            self.assert_whole(fixed + suffix)

    def test_a_link_is_not_followed(self):
        precious = os.path.join(self.home, "precious")
        fixed = os.path.join(self.dumps_in, "fixed.tl")
        os.symlink(precious, fixed)
        self.assertEqual(self.run_program([harness.target("hello"), "out"], env={"TL_OUTPUT": fixed}).status, 7)
        self.assertFalse(os.path.exists(precious))
        self.assert_whole(fixed + ".1")


class Reader(harness.TelemetryTest):
    def refused(self, path, *parts):
        for words in (["summary"], ["check"], ["summary", "--json"], []):
            done = subprocess.run([harness.TLREPORT, *words, path], capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 3, (words, done.stderr))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            for part in (path, *parts):
                self.assertIn(part, done.stderr)

    def file(self, name, content):
        path = os.path.join(self.home, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def test_no_dump(self):
        self.refused(self.file("text", b"this is no dump\n" * 100))
        self.refused(self.file("binary", bytes(range(256)) * 16))

    def test_empty(self):
        self.refused(self.file("empty", b""), "empty")

    def test_missing(self):
        self.refused(os.path.join(self.home, "missing.tl"))

    def test_directory(self):
        self.refused(self.home)

    def test_wrong_usage(self):
        for words in (["--no-such-option", "x"], []):
            done = subprocess.run([harness.TLREPORT, *words], capture_output=True, text=True, timeout=20, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    harness.main()
