#!/usr/bin/env python3
"""README.md and docs/: every command in them is run, and what they say of files is true."""
import glob
import os
import re
import shutil
import socket
import subprocess

import telemetry_harness as harness

# Commands that are whole scripts of their own: the one that runs this test, and the one that has the test below.
SCRIPTS = ("./tests/run.sh", "./tools/quickstart.sh")


README = os.path.join(harness.SOURCE, "README.md")
PAGES = sorted(glob.glob(os.path.join(harness.SOURCE, "docs", "*.md")))


def text_of(page):
    with open(page, encoding="utf-8") as file:
        return file.read()


def blocks(page):
    return re.findall(r"^```sh\n(.*?)^```$", text_of(page), flags=re.S | re.M)


class Readme(harness.TelemetryTest):
    def run_blocks(self, pages):
        """In a copy of the tree whose build/ is this build: each block as one script that stops at the first error."""
        tree = os.path.join(self.home, "tree")
        os.mkdir(tree)
        for name in ("include", "src", "preload", "tools", "tests", "docs", "CMakeLists.txt"):
            os.symlink(os.path.join(harness.SOURCE, name), os.path.join(tree, name))
        os.symlink(harness.BUILD, os.path.join(tree, "build"))
        for block in [block for page in pages for block in blocks(page)]:
            lines = [line for line in block.splitlines() if line.split("#")[0].strip() not in SCRIPTS]
            # The build itself is what these tests come from.
            lines = [line for line in lines if not line.startswith("cmake ")]
            env = {key: value for key, value in self.environment().items() if key != "TL_OUTPUT"}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], cwd=tree, env=env, text=True,
                                  capture_output=True, timeout=harness.SECONDS, check=False, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, f"{block}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")

    def test_commands(self):
        self.assertTrue(blocks(README))
        self.run_blocks([README])

    def test_commands_of_pages(self):
        self.assertTrue(PAGES)
        self.run_blocks(PAGES)

    def test_scripts_exist(self):
        for script in SCRIPTS:
            self.assertIn(script, text_of(README))
            self.assertTrue(os.access(os.path.join(harness.SOURCE, script), os.X_OK), script)

    def test_links(self):
        for page in [README, *PAGES]:
            prose = re.sub(r"^```.*?^```$", "", text_of(page), flags=re.S | re.M)
            for target in re.findall(r"\]\(([^)#:]+)\)", prose):
                self.assertTrue(os.path.exists(os.path.join(os.path.dirname(page), target)), (page, target))


class Quickstart(harness.TelemetryTest):
    def copy(self):
        """A tree of its own, so that the build that these tests come from stays as it is; built from there anew."""
        tree = os.path.join(self.home, "tree")
        shutil.copytree(harness.SOURCE, tree, ignore=shutil.ignore_patterns("build*", ".git"))
        return tree

    def test_from_a_clean_tree(self):
        tree = self.copy()
        env = {**self.environment(), "REQUESTS": "20000", "PAIRS": "1", "PORT": "16399"}
        del env["TL_OUTPUT"]
        done = subprocess.run(["./tools/quickstart.sh"], cwd=tree, env=env, text=True, capture_output=True, timeout=400,
                              check=False, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-3000:])
        for words in ("with / without", "malloc", "redis-server", "tlreport", "p99"):
            self.assertIn(words, done.stdout)
        self.assertTrue(os.path.exists(os.path.join(tree, "build", "quickstart.redis-server.tl")))

    def test_busy_port(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = subprocess.run([os.path.join(harness.SOURCE, "tools", "quickstart.sh")], text=True, capture_output=True,
                                  env={**self.environment(), "PORT": str(taken.getsockname()[1])}, timeout=60, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("taken", done.stderr)


if __name__ == "__main__":
    harness.main()
