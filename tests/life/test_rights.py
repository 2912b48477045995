#!/usr/bin/env python3
"""A program with other rights than its user's is left alone; and nobody is harmed by a name that somebody planted
(case C16), nor can read what was recorded."""
import os
import shutil
import signal
import stat
import subprocess
import time
import unittest

import telemetry_harness as harness

NOBODY = 65534


@unittest.skipIf(os.getuid() != 0, "only root can give a program other rights")
class OtherRights(harness.TelemetryTest):
    def setUp(self):
        super().setUp()
        if os.statvfs(self.home).f_flag & os.ST_NOSUID:
            self.skipTest("this file system gives no rights")
        os.chmod(self.home, 0o755)
        os.chmod(self.dumps_in, 0o777)
        shutil.copy(harness.LIBRARY, self.home)
        self.program = os.path.join(self.home, "rights")
        subprocess.run(["gcc", "-O2", "-DTL_LINKED", "-I", os.path.join(harness.SOURCE, "include"), "-o", self.program,
                        os.path.join(harness.SOURCE, "tests/preload/targets/rights.c"), "-L", self.home, "-ltelemetry",
                        f"-Wl,-rpath,{self.home}", "-pthread"], check=True)

    def run_as_nobody(self, **env):
        """What it says, and the files it opened. (strace -u: with the rights that it would have without being traced.)"""
        traced = os.path.join(self.home, "traced")
        words = [word for name, value in env.items() for word in ("-E", f"{name}={value}")]
        done = subprocess.run(["strace", "-u", "nobody", "-f", "-o", traced, "-e", "trace=file,memfd_create", *words, self.program],
                              env=self.environment(), capture_output=True, text=True, cwd=self.dumps_in, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, ""))
        with open(traced, encoding="utf-8") as file:
            opened = [line.split(" ", 1)[1] for line in file if "exited" not in line]
        words = done.stdout.split()
        return dict(zip(words[6::2], map(int, words[7::2]))), words[:6], opened

    def is_left_alone(self, wanted_ids, **env):
        facts, ids, opened = self.run_as_nobody(**env)
        self.assertEqual(ids, wanted_ids.split())
        self.assertEqual(facts, {"secure": 1, "recording": 0, "active": 0})
        for line in opened:
            for name in ("/dev/shm", "/proc", ".tl", "memfd"):
                self.assertNotIn(name, line.replace(self.program, ""))
        self.assertEqual(self.dumps(), [])

    def test_with_its_users_own(self):
        facts, _, opened = self.run_as_nobody()
        self.assertEqual(facts, {"secure": 0, "recording": 1, "active": 1})
        self.assertTrue(any("/dev/shm" in line for line in opened))
        self.assertEqual(sorted(self.report(dump).scope("work")["count"] for dump in self.dumps()), [1000, 2000])

    def test_set_user_id(self):
        os.chmod(self.program, 0o4755)
        self.is_left_alone(f"uid {NOBODY} 0 gid {NOBODY} {NOBODY}")
        self.is_left_alone(f"uid {NOBODY} 0 gid {NOBODY} {NOBODY}", TL_HELP="1", TL_NONSENSE="1", TL_OUTPUT="/etc/x.tl")

    def test_set_group_id(self):
        os.chmod(self.program, 0o2755)
        self.is_left_alone(f"uid {NOBODY} {NOBODY} gid {NOBODY} 0")

    @unittest.skipIf(not shutil.which("setcap"), "setcap is not installed")
    def test_capabilities(self):
        if subprocess.run(["setcap", "cap_net_raw+ep", self.program], check=False).returncode != 0:
            self.skipTest("this file system keeps no capabilities")
        self.is_left_alone(f"uid {NOBODY} {NOBODY} gid {NOBODY} {NOBODY}")


class Planted(harness.TelemetryTest):
    def setUp(self):
        super().setUp()
        self.precious = os.path.join(self.home, "precious")
        with open(self.precious, "w", encoding="utf-8") as file:
            file.write("precious")
        os.chmod(self.precious, 0o640)

    def run_open_to_all(self, command, mode="preload", **more):
        return self.run_program(command, mode, preexec_fn=lambda: os.umask(0), cwd=self.dumps_in, **more)

    def unharmed(self):
        with open(self.precious, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious")
        self.assertEqual(stat.S_IMODE(os.stat(self.precious).st_mode), 0o640)
        self.assertFalse(os.path.exists(os.path.join(self.home, "nothing")))

    def own_files(self):
        with os.scandir(self.dumps_in) as entries:
            return sorted(entry.path for entry in entries if not entry.is_symlink())

    def test_links_for_the_next_pids(self):
        """In the default directory, under the default name, to a file and to where none is."""
        for target in ("precious", "nothing"):
            now, pid = int(time.time()), os.getpid()
            for second in range(now, now + 6):
                at = time.strftime("%Y%m%dT%H%M%S", time.gmtime(second))
                for each in range(pid + 1, pid + 2001):
                    os.symlink(os.path.join(self.home, target), os.path.join(self.dumps_in, f"telemetry.hello.{each}.{at}.tl"))
            for mode in ("preload", "tlrun"):
                env = {"TL_OUTPUT": "telemetry.%e.%p.%t.tl"}
                self.assertEqual(self.run_open_to_all([harness.target("hello"), "out"], mode, env=env).status, 7)
                made = self.own_files()
                self.assertEqual(len(made), 1)
                self.assertTrue(made[0].endswith(".tl.1"), made)
                self.assertEqual(stat.S_IMODE(os.stat(made[0]).st_mode), 0o600)
                self.assert_whole(made[0])
                os.remove(made[0])
                self.unharmed()
            for name in os.listdir(self.dumps_in):
                os.remove(os.path.join(self.dumps_in, name))

    def test_links_in_a_row(self):
        fixed = os.path.join(self.dumps_in, "fixed.tl")
        for suffix in ("", *(f".{i}" for i in range(1, 40))):
            os.symlink(self.precious, fixed + suffix)
        self.run_open_to_all([harness.target("hello"), "out"], env={"TL_OUTPUT": fixed})
        self.assertEqual(self.own_files(), [fixed + ".40"])
        self.unharmed()

    def test_shared_memory(self):
        """A link stands where the process would have its shared memory: known before the exec, so planted there."""
        def plant():
            os.umask(0)
            with open("/proc/self/stat", encoding="utf-8") as file:
                start = file.read().rsplit(")", 1)[1].split()[19]
            for image in range(3):
                os.symlink(self.precious, f"/dev/shm/libtelemetry.{os.getpid()}.{start}.{image}")
        process = self.start([harness.target("signalled")], preexec_fn=plant)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        entries = [f"/dev/shm/{name}" for name in os.listdir("/dev/shm") if name.startswith(f"libtelemetry.{process.pid}.")]
        links = [path for path in entries if os.path.islink(path)]
        files = [path for path in entries if not os.path.islink(path)]
        for path in links:
            os.remove(path)
        self.assertEqual((len(links), len(files)), (3, 1), entries)
        self.assertEqual(stat.S_IMODE(os.stat(files[0]).st_mode), 0o600)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate()
        self.assert_whole(self.own_files()[0])
        self.unharmed()

    def test_dumps_that_others_write(self):
        """Of a killed program, by tlrun and by the report."""
        for mode in ("preload", "tlrun"):
            done = self.run_open_to_all([harness.target("ends"), "SIGKILL"], mode)
            self.assertEqual(done.status, -signal.SIGKILL)
            if mode == "preload":
                pattern = os.path.join(self.dumps_in, "by-report.tl")
                done = self.run_open_to_all([harness.target("ends"), "SIGKILL"], env={"TL_OUTPUT": pattern})
                subprocess.run([harness.TLREPORT, pattern], preexec_fn=lambda: os.umask(0), capture_output=True, check=False)
        for path in self.left_in_memory():
            os.remove(path)
        self.assertGreaterEqual(len(self.own_files()), 3)
        for path in self.own_files():
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)


if __name__ == "__main__":
    harness.main()
