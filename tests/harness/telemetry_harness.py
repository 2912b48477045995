"""Runs a program without the library, with it preloaded, and through tlrun; compares what others can see; reads dumps.

Tests call main(); a test's programs get a temporary home with nothing of ours in the environment but what it asks for.
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass

BUILD = os.environ["TELEMETRY_BUILD"]
LIBRARY = os.path.join(BUILD, "libtelemetry.so")
TLRUN = os.path.join(BUILD, "tlrun")
TLREPORT = os.path.join(BUILD, "tlreport")
TARGETS = os.path.join(BUILD, "tests", "targets")
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = os.environ.get("TELEMETRY_LONG") == "1"  # also what takes long was asked for
SECONDS = 100  # that any one program may take
MODES = ("plain", "preload", "tlrun")


@dataclass
class Outcome:
    status: int  # negative: the signal
    stdout: bytes
    stderr: bytes
    said: list  # lines of tlrun, taken out of stderr


@dataclass
class Report:
    status: int
    json: dict
    stderr: str

    def thread(self, serial):
        return next(t for t in self.json["threads"] if t["serial"] == serial)

    def scope(self, name, thread=None):
        return next(s for s in self.json["scopes"] if s["name"] == name and s["thread"] == thread)

    @property
    def calls(self):
        return self.json["allocations"]["calls"]


def target(name):
    return os.path.join(TARGETS, name)


def split_own_lines(stderr):
    lines = stderr.split(b"\n")
    said = [line.decode() for line in lines if line.startswith(b"tlrun: ")]
    return b"\n".join(line for line in lines if not line.startswith(b"tlrun: ")), said


class TelemetryTest(unittest.TestCase):
    def setUp(self):
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="telemetry-test."))
        self.dumps_in = os.path.join(self.home, "dumps")
        os.mkdir(self.dumps_in)
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)

    def tearDown(self):
        self.assertEqual(self.left_in_memory(), [], "left in /dev/shm")
        self.assertEqual(self.left_running(), [], "left running")

    # ---- running ------------------------------------------------------------------------------------------------

    def environment(self, extra=None):
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.home, "LANG": "C.UTF-8",
               "TL_OUTPUT": os.path.join(self.dumps_in, "%e.%p.%t.tl")}
        env.update(extra or {})
        return env

    def start(self, command, mode="preload", env=None, options=(), cwd=None, **more):
        env = self.environment(env)
        if mode == "plain":
            env = {k: v for k, v in env.items() if not k.startswith("TL_")}
        elif mode == "preload":
            env["LD_PRELOAD"] = LIBRARY + (":" + env["LD_PRELOAD"] if "LD_PRELOAD" in env else "")
        elif mode == "linked":
            pass
        else:
            command = [TLRUN, *options, "--", *command]
        return subprocess.Popen(command, env=env, cwd=cwd or self.home, start_new_session=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, stdin=more.pop("stdin", subprocess.DEVNULL), **more)

    def run_program(self, command, mode="preload", input=None, **more):
        process = self.start(command, mode, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL, **more)
        try:
            stdout, stderr = process.communicate(input, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            self.fail(f"{mode}: hangs: {command}\n{stdout[-2000:]}\n{stderr[-2000:]}")
        said = []
        if mode == "tlrun":
            stderr, said = split_own_lines(stderr)
        return Outcome(process.returncode, stdout, stderr, said)

    def same_everywhere(self, command, before=None, after=None, **more):
        """The program in each mode: same status, stdout and stderr. `before` lays out its world anew each time; `after`
        gives more to compare. Returns the outcome of each mode."""
        outcomes, extras = {}, {}
        for mode in MODES:
            if before:
                before()
            outcomes[mode] = self.run_program(command, mode, **more)
            extras[mode] = after() if after else None
        plain = outcomes["plain"]
        for mode in MODES[1:]:
            got = outcomes[mode]
            self.assertEqual((got.status, got.stdout, got.stderr), (plain.status, plain.stdout, plain.stderr), mode)
            self.assertEqual(extras[mode], extras["plain"], mode)
        return outcomes

    # ---- dumps --------------------------------------------------------------------------------------------------

    def dumps(self, program="*"):
        return sorted(glob.glob(os.path.join(self.dumps_in, f"{program}.*.tl*")), key=os.path.getmtime)

    def forget_dumps(self):
        for dump in self.dumps():
            os.remove(dump)

    def report(self, *dumps):
        done = subprocess.run([TLREPORT, "summary", "--json", *dumps], capture_output=True, timeout=SECONDS,
                              env=self.environment(), check=False)
        try:
            parsed = json.loads(done.stdout)
        except ValueError:
            self.fail(f"tlreport --json: status {done.returncode}, {done.stdout[:500]!r}, {done.stderr[:500]!r}")
        return Report(done.returncode, parsed, done.stderr.decode())

    def one_report(self, program="*"):
        dumps = self.dumps(program)
        self.assertEqual(len(dumps), 1, dumps)
        return self.report(dumps[0])

    def assert_whole(self, dump):
        report = self.report(dump)
        self.assertEqual(report.status, 0, (dump, report.stderr))
        self.assertTrue(report.json["file"]["complete"], dump)
        self.assertEqual(report.json["losses"]["records"], 0, dump)
        self.assertIn(report.json["process"]["ended"], ("exit", "exec"), dump)
        return report

    # ---- what must not be left ----------------------------------------------------------------------------------

    def left_in_memory(self, mark=None):
        """Shared memory of this test's processes, whether dead or alive: told by the path that their dump would have."""
        mark = (mark or self.home + "/").encode()
        found = []
        for path in glob.glob("/dev/shm/libtelemetry.*"):
            try:
                with open(path, "rb") as file:
                    if mark in file.read(65536):
                        found.append(path)
            except OSError:
                pass
        return found

    def left_running(self):
        found = []
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    if f"HOME={self.home}\0".encode() in file.read():
                        with open(path.replace("environ", "cmdline"), "rb") as name:
                            found.append(name.read().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                pass
        return found


def main():
    program = unittest.main(exit=False, verbosity=1)
    result = program.result
    if result.wasSuccessful() and result.skipped and len(result.skipped) == result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
