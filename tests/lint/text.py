#!/usr/bin/env python3
"""Text that must not be in any file: usage text.py ROOT. One line for each fault."""
import os
import re
import sys

SOURCES = (".h", ".hpp", ".c", ".cpp", ".py", ".sh")
TEXTS = SOURCES + (".md", ".txt", ".json", ".map", ".table", ".sql", ".pl", ".js", "LICENSE", ".clang-format", ".gitignore")
MOST_LINES = 400
# Paths and words of one machine. Written so that this file does not hold them.
MACHINE = re.compile(r"/w[o]rk/|/f[a]rm/|/h[o]me/[a-z]+/|/r[o]ot/|/t[m]p/b-|\.libr[a]ry/")


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not re.match(r"build|\.git$|\.cache$|__pycache__$", f))
        for name in sorted(names):
            if name.endswith(TEXTS):
                yield os.path.relpath(os.path.join(folder, name), root)


def check(root):
    faults = []
    for path in files(root):
        with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
            text = file.read()
        lines = text.split("\n")
        if len(lines) - 1 > MOST_LINES and path.endswith(SOURCES):
            faults.append(f"{path}: {len(lines) - 1} lines, {MOST_LINES} at most: split it")
        if text and not text.endswith("\n"):
            faults.append(f"{path}: no newline at the end")
        if text.endswith("\n\n"):
            faults.append(f"{path}: empty lines at the end")
        for number, line in enumerate(lines, 1):
            if line != line.rstrip():
                faults.append(f"{path}:{number}: white space at the end of the line")
            if "\t" in line and path.endswith((".h", ".hpp", ".c", ".cpp", ".py")):
                faults.append(f"{path}:{number}: a tab")
            if re.match(r"<{7} |>{7} |={7}$", line):
                faults.append(f"{path}:{number}: mark of a merge")
            if MACHINE.search(line):
                faults.append(f"{path}:{number}: a path of one machine")
    return faults


def main():
    faults = check(sys.argv[1])
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
