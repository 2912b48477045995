#!/usr/bin/env python3
"""The launcher: what it says, what it passes on, what it refuses."""
import os
import pty
import shlex
import shutil
import signal
import struct
import subprocess
import time

import telemetry_harness as harness

HELLO = harness.target("hello")


def tiny_32_bit_program():
    """exit(7) for i386 by hand: a compiler for 32 bits is not installed everywhere."""
    code = bytes.fromhex("b801000000" "bb07000000" "cd80")  # mov eax, 1; mov ebx, 7; int 0x80
    base, header = 0x08048000, 52 + 32
    size = header + len(code)
    elf = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    elf += struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, base + header, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    elf += struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5, 4096)
    return elf + code


class Launcher(harness.TelemetryTest):
    def tlrun(self, *words, env=None, input=None):
        done = subprocess.run([harness.TLRUN, *words], env=self.environment(env), cwd=self.home, capture_output=True, text=True,
                              timeout=harness.SECONDS, check=False, input=input)
        return done.returncode, done.stdout, done.stderr.splitlines()

    def test_says_where_the_dump_is_and_what_to_type(self):
        status, stdout, lines = self.tlrun("--output", "a dump.%p.tl", "--", HELLO, "out")
        self.assertEqual((status, stdout), (7, "out\n"))
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[0], r"^tlrun: dump: 'a dump\.\d+\.tl' \([\d.]+ (bytes|KiB)\)$")
        self.assertTrue(lines[1].startswith("tlrun: next: "), lines)
        typed = subprocess.run(lines[1].split("next: ")[1], shell=True, cwd=self.home, capture_output=True, text=True, check=False)
        self.assertEqual(typed.returncode, 0, typed.stderr)

    def test_several_dumps(self):
        status, _, lines = self.tlrun("--", "bash", "-c", f"{HELLO} | cat; ls | wc -l; exit 5")
        self.assertEqual(status, 5)
        self.assertRegex(lines[0], r"dump: dumps/bash\.")
        self.assertRegex(lines[1], rf"{len(self.dumps())} dumps in all")

    def test_report_of_a_rotated_dump_reads_all_its_files(self):
        status, _, lines = self.tlrun("--size", "64KiB", "--rotate", "40", "--report", "--", harness.target("crowd"), "1000")
        self.assertEqual(status, 0)
        self.assertTrue(any("dump in " in line and " files: " in line for line in lines), lines)
        self.assertTrue(any("complete" in line for line in lines), lines)
        self.assertTrue(any("1,000 runs" in line for line in lines), lines)

    def test_rotation_needs_a_size(self):
        status, _, lines = self.tlrun("--rotate", "3", "--", HELLO)
        self.assertEqual((status, len(lines)), (125, 1))
        self.assertIn("--size", lines[0])
        self.assertEqual(self.tlrun("--rotate", "3", "--size", "0KiB", "--", HELLO)[0], 125)
        self.assertNotEqual(self.tlrun("--rotate", "3", "--rotate", "0", "--", HELLO)[0], 125)

    def test_report(self):
        status, stdout, lines = self.tlrun("--report", "--", HELLO, "out")
        self.assertEqual((status, stdout), (7, "out\n"))
        self.assertTrue(any("malloc" in line for line in lines), lines)

    def test_dry_run_runs_nothing(self):
        made = os.path.join(self.home, "made")
        status, stdout, lines = self.tlrun("--dry-run", "--alloc", "time", "--", "/bin/touch", made)
        self.assertEqual((status, stdout, len(lines)), (0, "", 1))
        words = shlex.split(lines[0])
        self.assertIn("TL_ALLOC=time", words)
        self.assertIn(f"LD_PRELOAD={harness.LIBRARY}", words)
        self.assertEqual(words[-2:], ["/bin/touch", made])
        self.assertFalse(os.path.exists(made))

    def test_help_and_version(self):
        status, stdout, lines = self.tlrun("--help")
        self.assertEqual((status, lines), (0, []))
        for option in ("--output", "--alloc", "--pin", "--ring ", "--ring-pool", "--disable", "--help-variables", "--report", "--dry-run", "--control"):
            self.assertIn(option, stdout)
        self.assertEqual(self.tlrun("--version")[0], 0)

    def test_own_errors(self):
        for words, part in ((["--no-such", "--", HELLO], "--no-such"), ([], "no program"), (["--", ], "no program"),
                            (["--alloc", "sometimes", "--", HELLO], "count, off, time"), (["--alloc"], "needs a value"),
                            (["--ring", "1000", "--", HELLO], "power of two"), (["--ring-pool=x", "--", HELLO], "MiB"),
                            (["--pin", "#x=1", "--", HELLO], "pattern"), (["--output", "a%z", "--", HELLO], "%e"),
                            (["--gate", "x", "--", HELLO], "not available"), (["--html", "x", "--", HELLO], "not available"),
                            (["--keep=all", "--", HELLO], "not available"), (["--disable=2", "--", HELLO], "0, 1"),
                            (["-x", "--", HELLO], "-x"), (["--report=1", "--", HELLO], "--report=1")):
            with self.subTest(words):
                status, stdout, lines = self.tlrun(*words)
                self.assertEqual((status, stdout, len(lines)), (125, "", 1), lines)
                self.assertIn(part, lines[0])
        self.assertEqual(self.dumps(), [])

    def test_programs_that_cannot_run(self):
        plain = os.path.join(self.home, "plain")
        with open(plain, "w", encoding="utf-8") as file:
            file.write("no program\n")
        broken = os.path.join(self.home, "broken")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("#!/no/such/interpreter\n")
        os.chmod(broken, 0o755)
        for program, wanted in (("no-such-program", 127), ("/no/such/program", 127), (plain, 126), (self.home, 126), (broken, 127)):
            with self.subTest(program):
                status, stdout, lines = self.tlrun("--", program)
                self.assertEqual((status, stdout, len(lines)), (wanted, "", 1), lines)
                self.assertIn(program, lines[0])
        self.assertEqual(self.dumps(), [])

    def test_text_without_an_interpreter_goes_to_the_shell(self):
        path = os.path.join(self.home, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write('echo "$1"; exit 4\n')
        os.chmod(path, 0o755)
        self.assertEqual(self.tlrun("--", path, "word")[:2], (4, "word\n"))

    def test_streams_pass_through(self):
        status, stdout, _ = self.tlrun("--", "sh", "-c", "cat; exit 3", input="through\n")
        self.assertEqual((status, stdout), (3, "through\n"))

    def test_closed_stdout_is_seen_by_its_reader(self):
        process = self.start(["sh", "-c", "exec >&-; read -r line; exit 6"], "tlrun", stdin=subprocess.PIPE)
        self.assertEqual(process.stdout.read(), b"")  # ends while the program still runs
        process.stdin.write(b"\n")
        process.communicate(timeout=harness.SECONDS)
        self.assertEqual(process.returncode, 6)

    def test_installed(self):
        for libraries in ("lib", "lib/x86_64-linux-gnu"):
            prefix = os.path.join(self.home, "of-" + os.path.basename(libraries))
            for folder, file in (("bin", harness.TLRUN), ("bin", harness.TLREPORT), (libraries, harness.LIBRARY)):
                os.makedirs(os.path.join(prefix, folder), exist_ok=True)
                shutil.copy(file, os.path.join(prefix, folder))
            env = {**self.environment(), "PATH": f"{prefix}/bin:/usr/bin:/bin"}
            done = subprocess.run(["tlrun", "--", HELLO, "out"], env=env, cwd=self.home, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (7, "out\n"), done.stderr)
            self.assertIn("next: tlreport dumps/", done.stderr)
        os.remove(os.path.join(prefix, libraries, "libtelemetry.so"))
        done = subprocess.run(["tlrun", "--", HELLO], env=env, cwd=self.home, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (125, 1), done.stderr)

    def test_processes_that_live_on(self):
        status, _, lines = self.tlrun("--", "bash", "-c", "sleep 0.8 & sleep 0.9 & /bin/sleep 0.3; exit 3")
        self.assertEqual(status, 3)
        self.assertTrue(any("2 of its processes are still running" in line for line in lines), lines)
        time.sleep(0.9)
        self.assertEqual(len(self.dumps("sleep")), 3)

    def test_nothing_recorded(self):
        _, _, lines = self.tlrun("--disable", "--", HELLO)
        self.assertEqual(len(lines), 1)
        self.assertIn("TL_DISABLE=1", lines[0])
        self.assertIn("nothing was recorded", self.tlrun("--alloc", "off", "--", HELLO)[2][0])


class Unrecordable(Launcher):
    def runs_with_one_line(self, program, reason, status=7):
        got, stdout, lines = self.tlrun("--", *program)
        self.assertEqual((got, len(lines)), (status, 1), lines)
        self.assertIn("nothing was recorded", lines[0])
        self.assertIn(reason, lines[0])
        self.assertEqual(self.dumps(), [])
        return stdout

    def test_static(self):
        self.assertEqual(self.runs_with_one_line([harness.target("hello_static"), "out"], "static"), "out\n")

    def test_script_of_a_static_interpreter(self):
        path = os.path.join(self.home, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!{harness.target('hello_static')}\n")
        os.chmod(path, 0o755)
        self.assertEqual(self.runs_with_one_line([path], "static"), path + "\n")

    def test_32_bit(self):
        path = os.path.join(self.home, "tiny")
        with open(path, "wb") as file:
            file.write(tiny_32_bit_program())
        os.chmod(path, 0o755)
        plain = self.run_program([path], mode="plain") if self.kernel_runs(path) else None
        if plain is None:
            status, _, lines = self.tlrun("--dry-run", "--", path)
            self.assertEqual(status, 0)
            self.assertIn("32-bit", lines[1])
            self.skipTest("this kernel runs no 32-bit programs; the line was checked")
        self.assertEqual(plain.status, 7)
        self.runs_with_one_line([path], "32-bit")

    @staticmethod
    def kernel_runs(path):
        try:
            return subprocess.run([path], check=False).returncode == 7
        except OSError:
            return False

    def test_other_processor(self):
        with open(HELLO, "rb") as file:
            elf = bytearray(file.read())
        elf[18:20] = struct.pack("<H", 8)  # MIPS
        path = os.path.join(self.home, "foreign")
        with open(path, "wb") as file:
            file.write(elf)
        os.chmod(path, 0o755)
        status, _, lines = self.tlrun("--dry-run", "--", path)
        self.assertEqual(status, 0)
        self.assertIn("another kind of processor", lines[1])

    def test_set_uid(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make a program of another user")
        path = os.path.join(self.home, "other")
        with open(HELLO, "rb") as file, open(path, "wb") as copy:
            copy.write(file.read())
        os.chmod(self.home, 0o755)
        os.chown(path, 65534, 65534)
        os.chmod(path, 0o4755)
        self.assertEqual(self.runs_with_one_line([path, "out"], "set-uid"), "out\n")


class Signals(harness.TelemetryTest):
    def signalled(self, number, mode="tlrun"):
        process = self.start([harness.target("signalled")], mode)
        self.assertEqual(process.stdout.readline(), b"ready\n")
        os.kill(process.pid, number)
        _, stderr = process.communicate(timeout=harness.SECONDS)
        return process.returncode, harness.split_own_lines(stderr)

    def test_passed_on_to_a_handler(self):
        for number, status in ((signal.SIGUSR1, 20), (signal.SIGTERM, 21)):
            got, (stderr, said) = self.signalled(number)
            self.assertEqual((got, stderr, len(said)), (status, b"", 2), said)

    def test_dies_of_the_same_signal(self):
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGUSR2, signal.SIGQUIT):
            with self.subTest(number):
                status, (stderr, said) = self.signalled(number)
                self.assertEqual((status, stderr, len(said)), (-number, b"", 2), said)
                report = self.one_report()
                self.forget_dumps()
                self.assertEqual(report.json["process"]["ended"], "signal")
                self.assertFalse(os.path.exists(os.path.join(self.home, "core")))

    def test_ignored_signals_stay_ignored(self):
        done = self.run_program(["sh", "-c", f"trap '' HUP; exec {harness.TLRUN} -- sh -c 'kill -HUP $$; echo alive'"], mode="plain")
        self.assertEqual(done.stdout, b"alive\n")

    def test_a_key_at_the_terminal_comes_once(self):
        code = ("import signal, time\nn = []\nsignal.signal(signal.SIGINT, lambda *_: n.append(1))\n"
                "print('ready', flush=True)\ntime.sleep(0.5)\nprint('got', len(n))\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.home)
            os.execve(harness.TLRUN, ["tlrun", "--", "/usr/bin/python3", "-c", code], self.environment())
        shown = b""
        while b"ready" not in shown:
            shown += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        try:
            while chunk := os.read(terminal, 1000):
                shown += chunk
        except OSError:  # the other side is closed
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(terminal)
        self.assertIn(b"got 1", shown)
        self.assertIn(b"tlrun: dump: ", shown)

    def test_a_program_that_signals_its_group_gets_it_once(self):
        code = ("import os, signal, time\nn = []\nsignal.signal(signal.SIGUSR1, lambda *_: n.append(1))\n"
                "os.kill(0, signal.SIGUSR1)\ntime.sleep(0.3)\nprint(len(n))\n")
        done = self.run_program(["/usr/bin/python3", "-c", code], mode="tlrun")
        self.assertEqual((done.status, done.stdout), (0, b"1\n"))


if __name__ == "__main__":
    harness.main()
