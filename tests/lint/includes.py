#!/usr/bin/env python3
"""Holds includes.table against the code: usage includes.py ROOT. Prints one line for each fault."""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "includes.table")
SUFFIXES = (".h", ".hpp", ".c", ".cpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Where an own include may be written from. The library's own is <telemetry/telemetry.h>, as its users write it.
PREFIXES = ("src", "tools", "preload", "include", "tests")


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].strip()
            if line:
                key, _, allowed = line.partition(":")
                table[key.strip()] = allowed.split()
    return table


def sources(root):
    for top in ("include", "src", "preload", "tools", "tests"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders[:] = sorted(f for f in folders if not f.startswith("build"))
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def within(path, place):
    return path == place or path.startswith(place + "/")


def row_of(table, path):
    fitting = [key for key in table if within(path, key)]
    return max(fitting, key=len) if fitting else None


def home_of(table, path):
    """The folder that a file belongs to, for edges between folders."""
    fitting = [key for key in table if within(path, key) and not key.endswith(SUFFIXES)]
    return max(fitting, key=len) if fitting else os.path.dirname(path)


def target_of(root, quote, name):
    """An own file, or None: of the system; "?" in front: written in the wrong way."""
    for prefix in PREFIXES:
        if os.path.exists(os.path.join(root, prefix, name)):
            return f"{prefix}/{name}"
    return f"?{name}" if quote == '"' else None


def check(root, table):
    faults = []
    edges = {}
    for path in sources(root):
        row = row_of(table, path)
        with open(os.path.join(root, path), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                match = INCLUDE.match(line)
                target = match and target_of(root, *match.groups())
                if not target:
                    continue
                if target.startswith("?"):
                    if not (path.startswith("tests/") and os.path.exists(os.path.join(root, os.path.dirname(path), target[1:]))):
                        faults.append(f'{path}:{number}: "{target[1:]}" is not written from src/, tools/ or include/')
                    continue
                edges.setdefault(path, set()).add(target)
                allowed = table.get(row, []) if row else []
                same = home_of(table, path) == home_of(table, target)
                if not same and "*" not in allowed and not any(within(target, place) for place in allowed):
                    faults.append(f"{path}:{number}: {home_of(table, path)} may not include {target}")
    return faults + circles(edges, "files") + circles(folder_edges(table, edges), "folders")


def folder_edges(table, edges):
    result = {}
    for path, targets in edges.items():
        if path.startswith("tests/"):
            continue
        home = home_of(table, path)
        result.setdefault(home, set()).update(home_of(table, t) for t in targets if home_of(table, t) != home)
    return result


def circles(edges, what):
    """One line for each circle, found by walking down from every node."""
    state, faults = {}, []

    def walk(node, trail):
        state[node] = 1
        for target in sorted(edges.get(node, ())):
            if state.get(target) == 1:
                ring = trail[trail.index(target):] + [target]
                faults.append(f"circle of {what}: " + " -> ".join(ring))
            elif target not in state:
                walk(target, trail + [target])
        state[node] = 2

    for node in sorted(edges):
        if node not in state:
            walk(node, [node])
    return faults


def main():
    root = sys.argv[1]
    faults = check(root, read_table(sys.argv[2] if len(sys.argv) > 2 else TABLE))
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
