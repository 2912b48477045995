#!/usr/bin/env python3
"""`tlrun --control PID pause|resume|flush`: one process asks something of another of the same user."""
import os
import shutil
import signal
import subprocess
import threading
import time
import unittest

import telemetry_harness as harness


class Outside(harness.TelemetryTest):
    def obedient(self, **env):
        process = self.start([harness.target("obedient")], env=env, stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.tell(process, "a1")  # it runs
        return process

    def tell(self, process, *orders):
        for order in orders:
            process.stdin.write(order.encode() + b"\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), order[:1].encode() + b"\n")

    def control(self, *words, prefix=()):
        done = subprocess.run([*prefix, harness.TLRUN, "--control", *map(str, words)], env=self.environment(), cwd=self.home,
                              capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), done.stderr)
        self.assertTrue(done.stderr.startswith("tlrun: "), done.stderr)
        return done.returncode, done.stderr[len("tlrun: "):-1]

    def does(self, process, command, *parts):
        status, line = self.control(process.pid, command)
        self.assertEqual(status, 0, line)
        for part in (f"process {process.pid} (obedient)", *parts):
            self.assertIn(part, line)

    def refused(self, *words, parts=(), **more):
        status, line = self.control(*words, **more)
        self.assertEqual(status, 125, line)
        for part in ("--control", "accepted: ", *parts):
            self.assertIn(part, line)

    def finish(self, process):
        _, stderr = process.communicate(timeout=20)
        self.assertEqual((process.returncode, stderr), (0, b""))
        return self.assert_whole(self.dumps()[-1])

    def counted(self):
        row = self.one_report().scope("work")
        self.assertEqual(row["mismatched"], 0)
        return row["count"]

    def test_pause_and_resume(self):
        for env in ({}, {"TL_CLOCK": "os"}):
            process = self.obedient(**env)
            self.tell(process, "r1000")
            self.does(process, "pause", "paused")
            self.does(process, "pause", "paused")
            self.tell(process, "r200", "r30000")
            self.does(process, "resume", "goes on")
            self.tell(process, "r4")
            self.does(process, "pause")
            self.tell(process, "r10000", "q1", "r5", "p1", "r10000")  # the program's own say is worth as much
            self.does(process, "resume")
            self.tell(process, "r7")
            report = self.finish(process)
            row = report.scope("work")
            self.assertEqual((row["count"], row["mismatched"], row["discarded"], row["unfinished"]), (1016, 0, 0, 0))
            self.forget_dumps()

    def test_flush(self):
        process = self.obedient()
        for so_far in (1, 1001, 41001):
            self.tell(process, f"r{so_far - (self.counted() if so_far > 1 else 0)}")
            self.does(process, "flush", "in its dump")
            self.assertEqual(self.counted(), so_far)
        self.assertEqual(self.finish(process).scope("work")["count"], 41001)

    def test_before_the_first_record(self):
        for orders, wanted in ((["pause"], 0), (["pause", "resume"], 10), (["resume"], 10), (["pause", "flush"], 0)):
            process = self.obedient()
            for order in orders:
                self.does(process, order, "no record of a scope or its kin yet")
            self.assertEqual(self.dumps(), [])
            self.tell(process, "r10")
            self.does(process, "resume")
            self.tell(process, "r5")
            self.assertEqual(self.finish(process).scope("work")["count"], wanted + 5, orders)
            self.forget_dumps()

    def test_by_the_tlrun_that_started_it(self):
        process = self.start([harness.target("obedient")], mode="tlrun", stdin=subprocess.PIPE)
        self.tell(process, "r10")
        status, line = self.control(process.pid, "pause")
        self.assertEqual(status, 0, line)
        self.assertRegex(line, rf"^process \d+ \(obedient, started by {process.pid}\): recording is paused$")
        self.tell(process, "r5")
        self.assertEqual(self.control(process.pid, "resume")[0], 0)
        self.tell(process, "r3")
        process.communicate(timeout=20)
        self.assertEqual(self.one_report().scope("work")["count"], 13)
        self.refused(os.getpid(), "pause", parts=["not being recorded"])

    def test_a_program_that_pauses_itself_first(self):
        process = self.obedient()
        self.tell(process, "p1", "r10")
        self.does(process, "resume", "goes on")
        self.tell(process, "r5")
        self.assertEqual(self.finish(process).scope("work")["count"], 5)

    def test_paused_for_good_makes_no_dump(self):
        process = self.obedient(TL_ALLOC="off")
        self.tell(process, "p1", "r10")
        self.does(process, "flush")
        process.communicate(timeout=20)
        self.assertEqual((process.returncode, self.dumps()), (0, []))

    def test_while_threads_record(self):
        process = self.obedient()
        self.tell(process, "t4")
        for _ in range(5):
            self.does(process, "pause")
            time.sleep(0.05)
            self.does(process, "flush")
            before = self.counted()
            time.sleep(0.1)
            self.does(process, "flush")
            self.assertEqual(self.counted(), before)
            self.does(process, "resume")
            time.sleep(0.05)
        self.does(process, "flush")
        self.assertGreater(self.counted(), before)
        self.tell(process, "j1")
        _, stderr = process.communicate(timeout=20)
        self.assertEqual((process.returncode, stderr), (0, b""))
        row = self.one_report().scope("work")
        self.assertEqual((row["mismatched"], row["unfinished"]), (0, 0))
        self.assertLessEqual(row["discarded"], 5 * 4)

    def test_many_at_once(self):
        process = self.obedient()
        self.tell(process, "r1")
        failures = []

        def ask_often(command):
            for _ in range(3):
                status, line = self.control(process.pid, command)
                if status != 0:
                    failures.append(line)
        askers = [threading.Thread(target=ask_often, args=(c,)) for c in ("flush", "pause", "resume", "flush") * 5]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        self.assertEqual(failures, [])
        self.does(process, "resume")
        self.tell(process, "r1")
        self.assertEqual(self.finish(process).scope("work")["count"], 2)

    def test_killed_while_it_waits(self):
        process = self.obedient()
        self.tell(process, "r1")
        os.kill(process.pid, signal.SIGSTOP)
        asker = subprocess.Popen([harness.TLRUN, "--control", str(process.pid), "pause"], stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        asker.kill()
        asker.wait()
        os.kill(process.pid, signal.SIGCONT)
        self.does(process, "resume")
        self.tell(process, "r1")
        self.assertEqual(self.finish(process).scope("work")["count"], 2)

    def test_no_answer(self):
        process = self.obedient()
        self.tell(process, "r1")
        os.kill(process.pid, signal.SIGSTOP)
        before = time.monotonic()
        self.refused(process.pid, "pause", parts=["did not answer within 2 s"])
        self.assertLess(time.monotonic() - before, 4)
        os.kill(process.pid, signal.SIGCONT)
        self.tell(process, "r1")  # what was refused does not come true later
        self.assertEqual(self.finish(process).scope("work")["count"], 2)

    def test_a_dump_that_cannot_be_written(self):
        process = self.obedient(TL_OUTPUT=os.path.join(self.home, "none", "a.tl"))
        self.tell(process, "r1")
        self.refused(process.pid, "flush", parts=["cannot be written"])
        self.does(process, "pause")
        process.communicate(timeout=20)
        for path in self.left_in_memory():
            os.remove(path)

    def test_not_recorded(self):
        for mode, env in (("plain", {}), ("preload", {"TL_DISABLE": "1"})):
            process = self.start([harness.target("obedient")], mode, env=env, stdin=subprocess.PIPE)
            self.tell(process, "r1")
            self.refused(process.pid, "pause", parts=["not being recorded"])
            process.communicate(timeout=20)

    def test_after_an_exec(self):
        process = self.start(["sh", "-c", f"read x; exec {harness.target('obedient')}"], stdin=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        process.stdin.write(b"\n")
        process.stdin.flush()
        self.tell(process, "r1")
        self.does(process, "pause")
        self.tell(process, "r10")
        self.does(process, "resume")
        self.tell(process, "r1")
        self.assertEqual(self.finish(process).scope("work")["count"], 2)

    def test_wrong_words(self):
        with subprocess.Popen(["true"]) as ended:
            pass
        process = self.obedient()
        for words, parts in (((ended.pid, "pause"), ["no such process"]), (("x", "pause"), ["no process id"]),
                             (("-1", "pause"), ["no process id"]), (("0", "pause"), ["no process id"]),
                             ((2**32 + process.pid, "pause"), ["no process id"]), ((process.pid, "stop"), ["no such command"]),
                             ((process.pid, "trigger"), ["not available"]), ((process.pid, "keep=all"), ["not available"])):
            with self.subTest(words):
                self.refused(*words, parts=parts)
        for words, part in (([process.pid], "needs"), ([], "needs"), ([process.pid, "pause", "--", "true"], "runs no program")):
            status, line = self.control(*words)
            self.assertEqual(status, 125)
            self.assertIn(part, line)
        self.tell(process, "r3")
        self.assertEqual(self.finish(process).scope("work")["count"], 3)

    @unittest.skipIf(os.getuid() != 0 or not shutil.which("setpriv"), "only root can become somebody else")
    def test_another_user(self):
        tool = os.path.join(self.home, "tlrun")
        shutil.copy(harness.TLRUN, tool)
        shutil.copy(harness.LIBRARY, self.home)
        shutil.copy(harness.target("obedient"), self.home)
        os.chmod(self.home, 0o755)
        os.chmod(self.dumps_in, 0o777)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        own = self.obedient()
        done = subprocess.run([*nobody, tool, "--control", str(own.pid), "pause"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("recorded for another user", done.stderr)
        env = {**self.environment(), "LD_PRELOAD": os.path.join(self.home, "libtelemetry.so")}
        theirs = subprocess.Popen([*nobody, "env", f"LD_PRELOAD={env.pop('LD_PRELOAD')}", os.path.join(self.home, "obedient")],
                                  env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home)
        self.addCleanup(theirs.communicate)
        self.addCleanup(theirs.kill)
        self.tell(theirs, "r1")
        self.refused(theirs.pid, "pause", parts=["recorded for another user"])  # nor may root
        done = subprocess.run([*nobody, tool, "--control", str(theirs.pid), "pause"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.tell(own, "r2")
        self.tell(theirs, "r1")
        theirs.communicate(timeout=20)
        own.communicate(timeout=20)
        counts = sorted(self.report(dump).scope("work")["count"] for dump in self.dumps("obedient"))
        self.assertEqual(counts, [1, 2])


if __name__ == "__main__":
    harness.main()
