#!/usr/bin/env python3
"""No room: for the dump, for the rings, for more of either. The program must not notice, and what is not recorded is counted."""
import glob
import json
import os
import resource
import shutil
import signal
import subprocess
import unittest

import telemetry_harness as harness

PACED = harness.target("paced")
MADE = 3 * 40 * 5000  # by paced 2 40 5000 ...: two threads and main


@unittest.skipIf(os.getuid() != 0, "only root can mount a small file system")
class SmallFileSystem(harness.TelemetryTest):
    """The dump on a file system of its own, in a mount namespace of its own; so is /dev/shm."""

    def setUp(self):
        super().setUp()
        self.mounted = os.path.join(self.home, "small")
        os.mkdir(self.mounted)
        self.dump = os.path.join(self.mounted, "x.tl")
        self.out = os.path.join(self.home, "out")
        os.mkdir(self.out)

    def within(self, script, size="1m", shared="4g", mode="preload", env=None):
        """Runs shell lines in there; `$RUN program` puts the library under it. What they put into $OUT can be looked at."""
        run = {"plain": "", "preload": f"env LD_PRELOAD={harness.LIBRARY}", "tlrun": f"{harness.TLRUN} --"}[mode]
        lines = f"mount -t tmpfs -o size={shared} tmpfs /dev/shm || exit 77\n" \
                f"mount -t tmpfs -o size={size} tmpfs {self.mounted} || exit 77\n" \
                f"RUN='{run}' OUT='{self.out}' DUMP='{self.dump}' PACED='{PACED}' TLREPORT='{harness.TLREPORT}'\n" \
                f"cd {self.mounted}\n" + script
        done = subprocess.run(["unshare", "-m", "--propagation", "private", "sh", "-c", lines], capture_output=True,
                              env=self.environment({"TL_OUTPUT": self.dump, **(env or {})}), timeout=harness.SECONDS, check=False)
        if done.returncode == 77:
            self.skipTest("no file systems can be mounted here")
        return done

    def report_within(self, script, **more):
        """Runs $PACED as the script says, then reports. The file ends on a block's border; what is left in memory is told."""
        for mode in ("plain", more.pop("mode", "preload")):
            done = self.within(script + "\necho $? >$OUT/status; cat $OUT/stdout; $TLREPORT --json $DUMP >$OUT/json 2>$OUT/said\n"
                               "echo $? >$OUT/reported; cp $DUMP* $OUT; ls /dev/shm >$OUT/left; du -B1 $DUMP >$OUT/du", mode=mode, **more)
            self.assertEqual(self.text("status"), "0", (mode, done))
            self.assertEqual(self.text("stderr"), "", mode)
            self.assertEqual(done.stdout, b"2 threads\n", mode)
        report = harness.Report(int(self.text("reported")), json.loads(self.text("json")), self.text("said"))
        self.assertEqual(self.text("left"), "")
        return report

    def text(self, name):
        with open(os.path.join(self.out, name), encoding="utf-8") as file:
            return file.read().strip()

    def expect_all_counted(self, report, made=MADE, threads=3):
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], made)
        for thread in report.json["threads"][:threads]:
            self.assertEqual(thread["scopes"] + thread["lost"], made // 3, thread)

    def expect_no_space(self, report):
        losses = report.json["losses"]
        self.expect_all_counted(report)
        self.assertEqual(report.status, 4)
        self.assertEqual(losses["by_cause"]["disk_full"], losses["records"])
        self.assertGreater(losses["records"], 1000)
        self.assertGreater(report.scope("work")["count"], 1000)
        self.assertIn("no_space", [warning["code"] for warning in report.json["warnings"]])
        self.assertEqual((report.json["process"]["ended"], report.json["file"]["complete"]), ("exit", True))
        ranges = losses["ranges"]
        self.assertEqual(sum(each["records"] for each in ranges), losses["records"])
        for each in ranges:
            self.assertLessEqual(0, each["from_ns"])
            self.assertLessEqual(each["from_ns"], each["to_ns"])
            self.assertLessEqual(each["to_ns"], report.json["process"]["duration_ns"])

    def test_full_disk(self):
        report = self.report_within("$RUN $PACED 2 40 5000 1000 >$OUT/stdout 2>$OUT/stderr", size="150k")
        self.expect_no_space(report)

    def test_full_disk_from_the_start(self):
        """Not even the dump's header: it stays in memory until there is room."""
        fill = "dd if=/dev/zero of=fill bs=4096 2>/dev/null;"
        done = self.within(fill + "$RUN $PACED 2 40 50 0; echo $?; ls $DUMP 2>&1; $TLREPORT --json $DUMP >$OUT/json; echo $?;"
                           "$TLREPORT $DUMP >$OUT/said; rm fill; $TLREPORT --json $DUMP >$OUT/again; echo $?; ls $DUMP; ls /dev/shm", size="100k")
        lines = done.stdout.decode().split("\n")
        self.assertEqual(lines[:2], ["2 threads", "0"], done)
        self.assertEqual(lines[3:], ["0", "0", self.dump, ""], done)
        for name in ("json", "again"):
            report = harness.Report(0, json.loads(self.text(name)), "")
            self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], 3 * 40 * 50)
            warnings = {warning["code"]: warning["text"] for warning in report.json["warnings"]}
            self.assertIn("no room, on the disk", warnings["no_dump"])
        self.assertIn("\nNote: read from /dev/shm, where it waits until its file can be written", self.text("said"))

    def test_a_full_disk_and_a_death(self):
        """What `follow` says at the end is what the report says: both take in what lies in memory."""
        done = self.within("dd if=/dev/zero of=fill bs=4096 count=1000 2>/dev/null; $RUN $PACED 2 4000 5000 1000 >$OUT/stdout 2>$OUT/stderr & program=$!\n"
                           "$TLREPORT follow --json $DUMP >$OUT/follow 2>$OUT/said & follow=$!\n"
                           "sleep 1; kill -9 $program; wait $program; mount -o remount,ro $PWD || exit 77; wait $follow; echo $?\n"
                           "$TLREPORT --json $DUMP >$OUT/json; ls /dev/shm | wc -l; mount -o remount,rw $PWD; rm fill; $TLREPORT --json $DUMP >$OUT/again; ls /dev/shm",
                           size="4200k")
        self.assertEqual(done.stdout.split(), [b"4", b"1"], done)
        last = json.loads(self.text("follow").splitlines()[-1])
        for name in ("json", "again"):
            losses = json.loads(self.text(name))["losses"]
            self.assertGreater(losses["by_cause"]["disk_full"], 1000)
            self.assertEqual(last["losses"]["by_cause"], losses["by_cause"])
            self.assertEqual(last["records"], json.loads(self.text(name))["file"]["recovered_records"])
        self.assertEqual(last["ended"], "killed")

    def test_too_little_room_for_what_was_left(self):
        """A reader that could write a part of it leaves all of it where it is."""
        fill = "dd if=/dev/zero of=fill bs=4096 2>/dev/null;"
        done = self.within(fill + "$RUN $PACED 2 40 5000 0; truncate -s -200K fill;"
                           "for name in one two; do $TLREPORT --json $DUMP >$OUT/$name; echo $?; done; ls; ls /dev/shm | wc -l;"
                           "rm fill; $TLREPORT --json $DUMP >$OUT/three; echo $?; ls; ls /dev/shm", size="3m")
        lines = done.stdout.decode().split("\n")
        self.assertEqual(lines, ["2 threads", "0", "0", "fill", "1", "0", "x.tl", ""], done)
        for name in ("one", "two", "three"):
            report = harness.Report(0, json.loads(self.text(name)), "")
            self.expect_all_counted(report)
            self.assertEqual(report.json["losses"]["records"], 0, name)

    def test_room_that_comes_back(self):
        """The dump goes on as soon as there is room, and the gap is told."""
        moments = os.path.join(self.home, "moments")
        os.mkdir(moments)
        open(os.path.join(moments, "20.wait"), "w", encoding="utf-8").close()
        script = f"rm -f {moments}/20; dd if=/dev/zero of=fill bs=1k count=340 2>/dev/null; ($RUN $PACED 2 40 5000 1000 {moments} >$OUT/stdout 2>$OUT/stderr; echo $? >$OUT/done) &\n" \
                 f"until grep -q 20 $OUT/stdout; do sleep 0.01; done; sleep 0.3; rm fill; sleep 0.5; touch {moments}/20; wait; sed -i 1d $OUT/stdout; exit_is() {{ return $1; }}; exit_is $(cat $OUT/done)"
        report = self.report_within(script, size="450k")
        os.remove(os.path.join(moments, "20"))
        self.expect_all_counted(report)
        losses = report.json["losses"]
        self.assertGreater(losses["by_cause"]["disk_full"], 0)
        main = [each for each in losses["ranges"] if each["thread"] == 0]
        self.assertTrue(main)
        self.assertLess(max(each["to_ns"] for each in main), report.json["process"]["duration_ns"] - 300_000_000)

    def test_short_threads_on_a_full_disk(self):
        """Where there is no room for the counts of each thread, those of no thread in particular take them up."""
        done = self.within(f"$RUN {harness.target('short_threads')} 3000 2>$OUT/stderr; $TLREPORT --json $DUMP >$OUT/json", size="120k")
        self.assertEqual(self.text("stderr"), "", done)
        report = harness.Report(4, json.loads(self.text("json")), "")
        count = report.scope("work")["count"]
        self.assertEqual(count + report.json["losses"]["records"], 3000)

    def test_small_shared_memory(self):
        """Rings in private memory then: all is there, since the program ends by itself."""
        for shared in ("64k", "256k"):
            report = self.report_within("$RUN $PACED 2 40 5000 1000 >$OUT/stdout 2>$OUT/stderr", size="100m", shared=shared)
            self.expect_all_counted(report)
            self.assertIn("private_memory", [warning["code"] for warning in report.json["warnings"]])


class Pressure(harness.TelemetryTest):
    """Case C12: rings that are too small for what comes, on one CPU with the drain."""

    def test_smallest_rings(self):
        for env in ({"TL_RING": "1024", "TL_RING_POOL": "0"}, {"TL_RING": "4096"}):
            cpu = min(os.sched_getaffinity(0))
            done = self.run_program([harness.target("four_threads"), "1000000"], env=env,
                                    preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
            self.assertEqual((done.status, done.stdout, done.stderr), (0, b"", b""))
            report = self.one_report()
            losses = report.json["losses"]
            self.assertEqual(report.scope("known")["count"] + losses["records"], 4_000_000)
            for serial in range(1, 5):
                thread = report.thread(serial)
                self.assertEqual(thread["scopes"] + thread["lost"], 1_000_000, thread)
            self.assertEqual((report.status, losses["by_cause"]["ring_full"]), (4, losses["records"]))
            self.assertGreater(losses["records"], 0)
            self.assertEqual(sum(each["records"] for each in losses["ranges"]) + report.json["losses"].get("ranges_left_out", 0) * 0,
                             losses["records"])
            # What is recorded is as long as it was: a begin is never paired with another scope's end.
            self.assertEqual(report.json["clock"]["anomalies"], 0)
            self.assertLessEqual(report.scope("known")["total_ns"], 4 * report.json["process"]["duration_ns"])
            self.forget_dumps()


class Limits(harness.TelemetryTest):
    def run_limited(self, env=None, **limits):
        def limited():
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, "RLIMIT_" + name), (value, value))
        for mode in ("plain", "preload"):
            done = self.run_program([PACED, "2", "40", "5000", "1000"], mode, env=env, preexec_fn=limited)
            self.assertEqual((done.status, done.stdout, done.stderr), (0, b"2 threads\n", b""), (mode, limits))

    def expect_all_counted(self, *dumps):
        report = self.report(*dumps)
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], MADE, report.json["losses"])
        return report

    def test_file_size_limit(self):
        self.run_limited(FSIZE=150_000)
        dump, = self.dumps()
        self.assertLessEqual(os.path.getsize(dump), 150_000)
        report = self.expect_all_counted(dump)
        self.assertGreater(report.json["losses"]["by_cause"]["disk_full"], 0)
        self.assertIn("RLIMIT_FSIZE", str(report.json["warnings"]))

    def test_file_size_limit_that_allows_no_dump(self):
        """Neither a file in /dev/shm nor a dump: what is recorded is lost at the end, and that is told."""
        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        done = self.run_program([PACED, "1", "4", "500", "100"], "preload", preexec_fn=limited)
        self.assertEqual((done.status, done.stdout), (0, b"1 threads\n"))
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("a limit on the size of files", lines[0])
        self.assertEqual(self.dumps(), [])

    def test_address_space_limit(self):
        self.run_limited(AS=60 << 20)
        self.expect_all_counted(*self.dumps())

    def test_locked_memory_limit(self):
        for limit in (0, 65536, 1 << 20):
            self.run_limited(MEMLOCK=limit)
            self.expect_all_counted(*self.dumps())
            self.forget_dumps()

    def most_memory(self, kind, limit):
        """How many MiB a program gets that takes them until there are no more, without the library and with it."""
        got = []
        for mode in ("plain", "preload"):
            def limited():
                if os.getuid() == 0:
                    os.setresgid(65534, 65534, 65534), os.setresuid(65534, 65534, 65534)  # nobody is not above the limits
                resource.setrlimit(getattr(resource, "RLIMIT_" + {"AS": "AS", "LOCKED": "MEMLOCK"}[kind]), (limit, limit))
            os.chmod(self.home, 0o755)
            os.chmod(self.dumps_in, 0o777)
            done = self.run_program([harness.target("tight"), kind], mode, preexec_fn=limited)
            self.assertEqual((done.status, done.stderr), (0, b""), (kind, mode))
            got.append(int(done.stdout))
        report = self.one_report()
        self.assertEqual(report.scope("work")["count"] + report.json["losses"]["records"], 20000 * (got[1] + 1))
        return got

    def test_memory_is_for_the_program(self):
        """Under a limit the rings take a sixteenth at most, and what the library cannot have it goes without."""
        plain, watched = self.most_memory("AS", 256 << 20)
        self.assertGreater(plain, 200)
        self.assertGreaterEqual(watched, plain - 16 - 4 - 5)  # rings, what is kept ready for them, and the library itself
        self.forget_dumps()
        plain, watched = self.most_memory("LOCKED", 8 << 20)
        self.assertGreater(plain, 3)
        self.assertGreaterEqual(watched, plain - 4)

    def test_size(self):
        for size in (65536, 131072):
            for way in ("exit", "killed"):
                output = os.path.join(self.dumps_in, f"{size}.{way}.tl")
                env = {"TL_SIZE": str(size), "TL_OUTPUT": output}
                if way == "exit":
                    self.run_limited(env=env)
                    self.expect_all_counted(output)
                else:
                    process = self.start([harness.target("flat_out"), "SIGKILL", "3", "0.2", os.path.join(self.home, "counts")], env=env)
                    process.communicate(timeout=harness.SECONDS)
                    self.assertEqual(process.returncode, -signal.SIGKILL)
                report = self.report(output)
                self.assertEqual(report.status, 4)
                self.assertGreater(report.json["losses"]["by_cause"]["disk_full"], 0)
                self.assertGreater(report.scope("work")["count"], 100)
                self.assertLessEqual(os.path.getsize(output), size)
                self.assertGreater(os.path.getsize(output), size // 4)
                self.assertLessEqual(os.stat(output).st_blocks * 512, size + 65536)

    def test_rotation_that_holds_everything(self):
        self.run_limited(env={"TL_SIZE": "120000", "TL_ROTATE": "100", "TL_OUTPUT": os.path.join(self.dumps_in, "r.x.tl")})
        dumps = self.dumps()
        self.assertGreater(len(dumps), 3)
        for dump in dumps:
            self.assertLessEqual(os.path.getsize(dump), 120_000)
            self.report(dump)  # each can be read alone
        report = self.expect_all_counted(*dumps)
        self.assertEqual((report.status, report.json["losses"]["records"]), (0, 0))

    def test_rotation_keeps_to_its_size_to_the_end(self):
        """What is still in the rings as a program ends takes as many files as it needs, and each can tell the time."""
        for _ in range(5):
            process = self.start([harness.target("flat_out"), "exit", "2", "0.05", os.path.join(self.home, "counts")],
                                 env={"TL_SIZE": "65536", "TL_ROTATE": "3", "TL_OUTPUT": os.path.join(self.dumps_in, "r.x.tl")})
            process.communicate(timeout=harness.SECONDS)
            for path in self.dumps():
                self.assertLessEqual(os.path.getsize(path), 65536)
            report = self.report(*self.dumps())
            self.assertIsNotNone(report.scope("work")["latency_ns"]["p50"])
            self.forget_dumps()

    def test_rotation_with_more_threads_than_a_file_can_tell_of(self):
        done = self.run_program([harness.target("crowd"), "1500"], "preload", env={"TL_SIZE": "65536", "TL_ROTATE": "128"})
        self.assertEqual(done.status, 0)
        files = self.dumps()
        self.assertLess(len(files), 40)
        report = self.report(*files)
        self.assertEqual((report.status, report.scope("work")["count"], len(report.json["threads"])), (0, 1500, 1501))

    def test_full_rings_and_a_full_dump_at_once(self):
        """What the threads themselves tell of losses stands in records, which a full dump drops too; but not their times."""
        done = self.run_program([PACED, "3", "40", "50000", "4000"], "preload",
                                env={"TL_SIZE": "65536", "TL_RING": "1024", "TL_RING_POOL": "65536"})
        self.assertEqual(done.status, 0)
        report = self.one_report()
        losses = report.json["losses"]
        self.assertEqual(report.scope("work")["count"] + losses["records"], 4 * 40 * 50000)
        for cause in ("ring_full", "disk_full"):
            self.assertGreater(losses["by_cause"][cause], 1000)
            ranges = [each for each in losses["ranges"] if each["cause"] == cause]
            self.assertEqual(sum(each["records"] for each in ranges), losses["by_cause"][cause])
            for each in ranges:
                self.assertLessEqual(0, each["from_ns"])
                self.assertLessEqual(each["from_ns"], each["to_ns"])
        self.assertNotEqual(report.json["cost"]["pairs"]["fast_fast"], None)

    def test_rotation_keeps_the_newest(self):
        output = os.path.join(self.dumps_in, "r.x.tl")
        precious = output + ".2"
        with open(precious, "w", encoding="utf-8") as file:
            file.write("mine")
        self.run_limited(env={"TL_SIZE": "65536", "TL_ROTATE": "3", "TL_OUTPUT": output})
        with open(precious, encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")
        os.remove(precious)
        dumps = self.dumps()
        self.assertEqual(len(dumps), 3, dumps)
        report = self.report(*dumps)
        self.assertEqual(report.status, 4)
        self.assertEqual(report.json["losses"]["records"], 0)
        self.assertGreater(report.scope("work")["count"], 1000)
        self.assertIn(f"; {MADE - report.scope('work')['count']:,} records in them", report.stderr)
        self.assertEqual(report.json["process"]["ended"], "exit")

    def test_rotation_counts_threads_that_have_ended(self):
        """Of 5,000 short threads with a scope each most have ended in parts that are gone."""
        done = self.run_program([harness.target("short_threads"), "5000"], "preload",
                                env={"TL_SIZE": "65536", "TL_ROTATE": "2", "TL_OUTPUT": os.path.join(self.dumps_in, "r.x.tl")})
        self.assertEqual(done.status, 0)
        report = self.report(*self.dumps())
        self.assertEqual(report.json["losses"]["records"], 0)
        records = 4  # a scope, and what it asked of the allocator
        self.assertIn(f"; {records * (5000 - report.scope('work')['count']):,} records in them", report.stderr)
        self.assertEqual(report.json["allocations"]["calls"]["malloc"], 15000, report.stderr)


if __name__ == "__main__":
    harness.main()
