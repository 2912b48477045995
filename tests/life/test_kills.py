#!/usr/bin/env python3
"""SIGKILL at random moments under load: each dump is readable, and every call that had returned is in it, or counted as lost."""
import os
import random
import signal
import struct
import subprocess
import time

import telemetry_harness as harness

KILLS = 1000 if harness.LONG else 50


class Kills(harness.TelemetryTest):
    def test_kills(self):
        """With one to four threads, within the first 60 ms of a life or later, and now and then a drain that writes into files of
        limited size, of which it keeps some."""
        random.seed(20261201)
        wrong = []
        for kill in range(KILLS):
            threads = 1 + kill % 4
            output = os.path.join(self.dumps_in, f"{kill}.x.tl")
            counts = os.path.join(self.home, "counts")
            rotation = {"TL_SIZE": "1MiB", "TL_ROTATE": "100"} if kill % 5 == 4 else {}
            process = self.start([harness.target("flat_out"), "SIGKILL", str(threads), "20", counts], env={"TL_OUTPUT": output, **rotation})
            time.sleep(random.choice((0.005, 0.06, 0.3)) * random.random())
            process.kill()
            process.communicate(timeout=harness.SECONDS)
            self.assertEqual(process.returncode, -signal.SIGKILL)
            made = [0] * threads
            if os.path.exists(counts):
                with open(counts, "rb") as file:
                    held = file.read(threads * 64)
                if len(held) == threads * 64:
                    made = struct.unpack(f"{threads * 8}Q", held)[::8]
                os.remove(counts)
            wrong += self.differences(kill, output, made)
            self.forget_dumps()
        self.assertEqual(wrong, [])

    def differences(self, kill, output, made):
        # This writes what was left in memory, perhaps into further files.
        first = subprocess.run([harness.TLREPORT, output], capture_output=True, check=False, timeout=harness.SECONDS)
        if first.returncode == 3 and not os.path.exists(output):
            return [] if sum(made) == 0 else [(kill, "nothing", made)]  # it had not begun yet
        parts = self.dumps() if kill % 5 == 4 else [output]
        report = self.report(*parts)
        wrong = []
        if report.json["process"]["ended"] != "killed" or report.status != 4:
            wrong.append((kill, report.status, report.json["process"]["ended"]))
        if report.json["clock"]["anomalies"] != 0 or report.json["losses"]["by_cause"]["disk_full"] != 0:
            wrong.append((kill, report.json["clock"], report.json["losses"]))
        threads = {thread["serial"]: thread["scopes"] + thread["lost"] for thread in report.json["threads"]}
        for serial, count in enumerate(made, 1):
            # The pair that was being counted may be finished, and the one after it begun.
            if threads.get(serial, 0) - count not in (0, 1):
                wrong.append((kill, serial, threads.get(serial), count))
        return wrong


if __name__ == "__main__":
    harness.main()
