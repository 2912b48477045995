#!/usr/bin/env python3
"""tlreport follow: what it says while a program runs is, added up, what the summary says at the end."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time

import telemetry_harness as harness


class Follow(harness.TelemetryTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.dumps_in, "rounds.1.1.tl")

    def follow(self, *options, **more):
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen([harness.TLREPORT, "follow", *options, self.path], env=self.environment(), **more)

    def program(self, *arguments):
        return self.start([harness.target("rounds"), *arguments], env={"TL_OUTPUT": self.path})

    def finish(self, process):
        try:
            out, err = process.communicate(timeout=harness.SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            self.fail(f"does not end: {process.communicate()}")
        return process.returncode, out, err.decode().splitlines()

    def check_sums(self, out):
        views = [json.loads(line) for line in out.splitlines()]
        summary = self.report(self.path).json
        for row in summary["scopes"]:
            if row["thread"] is None:
                counts = [s["count"] for view in views for s in view["scopes"] if s["name"] == row["name"]]
                self.assertEqual(sum(counts), row["count"], row["name"])
                last = next(s for s in views[-1]["scopes"] if s["name"] == row["name"])["total"]
                self.assertEqual(last["count"], row["count"])
                for key, value in last["latency_ns"].items():
                    self.assertAlmostEqual(value, row["latency_ns"][key], delta=0.11 + value * 2e-3)
        self.assertEqual(views[-1]["records"], summary["file"]["recovered_records"])
        self.assertEqual([view["interval"] for view in views], list(range(1, len(views) + 1)))
        return views

    def test_from_before_the_file_is_there_to_its_end(self):
        follow = self.follow("--json")
        time.sleep(0.3)
        program = self.program("20")
        status, out, err = self.finish(follow)
        self.assertEqual((status, err), (0, [f"tlreport: waiting for '{self.path}'"]))
        self.assertEqual(self.finish(program)[0], 0)
        views = self.check_sums(out)
        self.assertGreaterEqual(len(views), 3)
        self.assertEqual([view["ended"] for view in views], [None] * (len(views) - 1) + ["exit"])
        self.assertEqual((views[-1]["program"], views[-1]["partial"]), ("rounds", []))
        self.assertGreaterEqual(sum(view["scopes"] != [] and view["scopes"][0]["count"] > 0 for view in views), 3)
        for view in views[1:]:
            self.assertGreater(view["seconds"], 0.4)

    def test_a_program_that_is_killed(self):
        follow = self.follow("--json")
        self.assertEqual(self.finish(self.program("5", "kill"))[0], -signal.SIGKILL)
        status, out, err = self.finish(follow)
        self.assertEqual(status, 4)
        self.assertIn("not closed", err[-1])
        views = self.check_sums(out)
        self.assertEqual(views[-1]["ended"], "killed")
        self.assertEqual(next(s for s in views[-1]["scopes"] if s["name"] == "step")["total"]["count"], 5000)

    def test_an_interrupt_ends_the_view_and_nothing_else(self):
        follow, program = self.follow(), self.program("12")
        time.sleep(1)
        follow.send_signal(signal.SIGINT)
        status, out, _ = self.finish(follow)
        self.assertEqual(status, 0)
        self.assertNotIn(b"\x1b", out)
        self.assertEqual(self.finish(program)[0], 0)
        self.assertEqual(self.assert_whole(self.path).scope("step")["count"], 12000)

    def test_blocks_of_text_and_a_last_line(self):
        program = self.program("10")
        status, out, _ = self.finish(self.follow("--scope", "st*"))
        self.finish(program)
        self.assertEqual(status, 0)
        text = out.decode()
        self.assertEqual({line.split()[0] for line in text.splitlines() if line}, {"rounds", "scope", "step"})
        self.assertIn("10,000", text)
        self.assertRegex(text.splitlines()[-1], r"^rounds \(pid \d+\) ended by exit: 10,010 records, .*nothing lost, complete$")

    def test_a_full_dump_does_not_claim_that_nothing_is_lost(self):
        follow = self.follow()
        program = self.start([harness.target("paced"), "1", "400", "5000", "4000"], env={"TL_OUTPUT": self.path, "TL_SIZE": "100KiB"})
        self.assertEqual(self.finish(program)[0], 0)
        status, out, _ = self.finish(follow)
        self.assertEqual(status, 4)
        views = [line for line in out.decode().splitlines() if "so far" in line]
        full = [line for line in views if "the dump is full: what is lost is told later" in line]
        self.assertGreaterEqual(len(full), 1, views)
        self.assertRegex(out.decode().splitlines()[-1], r"^[^(]*\(pid \d+\) ended by exit: .*, [\d,]+ lost \(disk_full [\d,]+\)$")
        self.assertNotIn("ticks", out.decode())

    def test_a_dump_that_was_cut_and_whose_program_is_gone(self):
        self.finish(self.program("3"))
        os.truncate(self.path, os.path.getsize(self.path) - 100)
        before = time.monotonic()
        status, out, err = self.finish(self.follow("--json"))
        self.assertEqual(status, 4)
        self.assertLess(time.monotonic() - before, 20)
        self.assertIn("cut after", err[-1])
        last = json.loads(out.splitlines()[-1])
        self.assertEqual(last["records"], self.report(self.path).json["file"]["recovered_records"])

    def test_a_dump_that_cannot_be_made(self):
        self.path = os.path.join(self.home, "none", "a.tl")
        program = self.program("40")
        status, _, err = self.finish(self.follow())
        self.assertEqual(status, 3)
        self.assertEqual(len(err), 3, err)
        self.assertIn("cannot be written so far", err[1])
        self.assertIn("has ended and could not write it", err[2])
        self.finish(program)
        for path in self.left_in_memory():
            os.remove(path)

    def test_a_terminal_is_drawn_in_place_and_to_its_width(self):
        program = self.program("15")
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        follow = self.follow(stdout=theirs)
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # EIO: the other side is closed
                break
            if not piece:
                break
            seen += piece
        os.close(ours)
        self.assertEqual(follow.wait(timeout=harness.SECONDS), 0)
        follow.stderr.close()
        self.finish(program)
        self.assertRegex(seen, rb"\x1b\[\d+A\r\x1b\[J")
        for line in seen.split(b"\n"):
            line = line.split(b"\x1b[J")[-1].rstrip(b"\r")
            self.assertLessEqual(len(line), 60, line)

    def test_a_file_that_grows_in_odd_pieces_and_becomes_another(self):
        self.finish(self.program("3"))
        with open(self.path, "rb") as file:
            whole = file.read()
        os.remove(self.path)
        follow = self.follow("--json")
        with open(self.path, "wb", buffering=0) as file:
            for at in range(0, len(whole), len(whole) // 5 + 1):
                file.write(whole[at:at + len(whole) // 5 + 1])
                time.sleep(0.6)
        status, out, _ = self.finish(follow)
        self.assertEqual(status, 0)
        self.check_sums(out)

        with open(self.path, "wb", buffering=0) as file:
            file.write(whole[:len(whole) // 2])
            follow = self.follow("--json")
            time.sleep(1.2)
            file.truncate(0)
            file.seek(0)
            damaged = bytearray(whole)
            damaged[len(whole) // 3] ^= 1
            file.write(damaged[:len(whole) // 3 + 10])
            time.sleep(0.6)
            file.write(damaged[len(whole) // 3 + 10:])
        status, out, err = self.finish(follow)
        self.assertEqual(status, 4)
        self.assertTrue(any("is another dump now" in line for line in err), err)
        self.assertIn("damaged at byte", err[-1])
        views = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(views[-1]["records"], self.report(self.path).json["file"]["recovered_records"])

    def test_what_is_no_dump_is_refused(self):
        with open(self.path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\necho no dump at all\n")
        status, out, err = self.finish(self.follow())
        self.assertEqual((status, out, len(err)), (3, b"", 1))
        self.assertIn("is not a telemetry dump", err[0])
        self.path = self.home
        status, _, err = self.finish(self.follow())
        self.assertEqual((status, len(err)), (3, 1))
        self.assertIn("is a directory", err[0])


if __name__ == "__main__":
    harness.main()
