#!/usr/bin/env python3
"""What libtelemetry.so shows and what it leans on.

usage: symbols.py exports LIBRARY MAP | undefined ALLOWED OBJECT... | needed LIBRARY. One line for each fault.
"""
import fnmatch
import re
import subprocess
import sys

# What the loader may have to find beside us: an empty program has it loaded already.
NEEDED = ("libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names_of_map(path):
    """Names and globs that the version script makes global."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/|#[^\n]*", "", file.read(), flags=re.S)
    names = []
    for body in re.findall(r"\{(.*?)\}", text, flags=re.S):
        place = "global"
        for word in re.split(r"[;\s]+", body):
            if word in ("global:", "local:"):
                place = word[:-1]
            elif word and place == "global":
                names.append(word)
    if not re.search(r"local:\s*\*\s*;", text):
        raise SystemExit(f"{path}: no \"local: *;\"")
    return names


def exports(library, map_path):
    wanted = names_of_map(map_path)
    shown = set()
    for line in output_of("nm", "-D", "--defined-only", library).splitlines():
        _, kind, name = line.split()
        if kind != "A":  # the names of the version nodes themselves
            shown.add(name.split("@")[0])
    faults = [f"{library} exports {name}, which {map_path} does not name" for name in sorted(shown)
              if not any(fnmatch.fnmatchcase(name, each) for each in wanted)]
    return faults + [f"{map_path} names {each}, which {library} does not export" for each in wanted
                     if not any(fnmatch.fnmatchcase(name, each) for name in shown)]


def undefined(allowed_path, objects):
    with open(allowed_path, encoding="utf-8") as lines:
        allowed = {line.split("#")[0].strip() for line in lines} - {""}
    ours, faults = {"_GLOBAL_OFFSET_TABLE_"}, []
    listings = {each: output_of("nm", each).splitlines() for each in objects}
    for lines in listings.values():
        ours |= {line.split()[-1] for line in lines if line and line.split()[-2] not in "Uw"}
    for each, lines in sorted(listings.items()):
        for line in lines:
            kind, name = line.split()[-2:]
            if kind in "Uw" and name not in ours and name not in allowed:
                faults.append(f"{each} needs {name}, which {allowed_path} does not allow")
    return faults if objects else ["no object files to look at"]


def needed(library):
    lines = re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", library))
    return [f"{library} needs {each}: only the C library may be needed" for each in lines if each not in NEEDED]


def main():
    what, arguments = sys.argv[1], sys.argv[2:]
    faults = {"exports": lambda: exports(*arguments), "needed": lambda: needed(*arguments),
              "undefined": lambda: undefined(arguments[0], arguments[1:])}[what]()
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
