#!/usr/bin/env python3
"""Compares the functions of a profile with the list that the program of make-calls.py wrote.

    compare-calls.py LIST SHOWN PROGRAM LIBRARY OBJECT…

SHOWN is the profile by `headstart show --json`. PROGRAM and LIBRARY are the unstripped files. Of what was recorded, the functions that the
OBJECTs (files of a compiler) define have to be those of the list, in its order. Prints how many there are.
"""
import json
import struct
import subprocess
import sys

log, shown, program, library, *objects = sys.argv[1:]


def symbols(path):
    for line in subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines():
        address, kind, name = line.split(maxsplit=2)
        if kind in "tTwWiV":
            yield int(address, 16), name


data = open(log, "rb").read()
count = struct.unpack_from("<I", data)[0]
which = struct.unpack_from(f"<{count}I", data, 8)
offsets = struct.unpack_from(f"<{count}I", data, 8 + 4 * 65536)
wanted = list(zip(which, offsets))
names = {name for path in objects for _, name in symbols(path)}
instrumented = {(0, address) for address, name in symbols(program) if name in names}
instrumented |= {(1, address) for address, name in symbols(library) if name in names}
calls = []
for thing in json.load(open(shown))["functions"]:
    number = 1 if thing["path"].endswith("/libcalls.so") else 0 if thing["path"].endswith("/calls") else None
    calls += [(call["order"], number, call["address"]) for call in thing["calls"] if number is not None]
found = [(number, address) for _, number, address in sorted(calls) if (number, address) in instrumented]
if found != wanted:
    first = next((i for i, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]), min(len(found), len(wanted)))
    sys.exit(f"{len(found)} recorded, {len(wanted)} called; they differ from number {first} on: "
             f"{found[first:first + 3]}, {wanted[first:first + 3]}")
print(count)
