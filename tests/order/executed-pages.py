#!/usr/bin/env python3
"""Runs a program (not position-independent) under valgrind's lackey and prints which pages of its file it executed.

    executed-pages.py OUTPUT PROGRAM [ARGUMENT...]     lines of make-profile, in order of first execution

Exact, and nothing that headstart has a part in. What the program prints goes to OUTPUT.
"""
import os
import subprocess
import sys

output, program = sys.argv[1], sys.argv[2:]
page_size = os.sysconf("SC_PAGESIZE")
segments = []
for line in subprocess.run(["readelf", "-lW", program[0]], capture_output=True, text=True, check=True).stdout.splitlines():
    words = line.split()
    if words[:1] == ["LOAD"] and "E" in words[6:-1]:
        offset, address, size = int(words[1], 16), int(words[2], 16), int(words[4], 16)
        segments.append((address, address + size, offset - address))
log, writer = os.pipe()
with open(output, "wb") as out:
    run = subprocess.Popen(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-fd={writer}", *program],
                           stdout=out, pass_fds=[writer])
os.close(writer)
order = {}
for line in os.fdopen(log, "rb"):
    if not line.startswith(b"I "):
        continue
    address, size = line[3:].split(b",")
    address = int(address, 16)
    for start, end, delta in segments:
        if start <= address < end:
            for page in {(address + delta) // page_size, (address + int(size) - 1 + delta) // page_size}:
                order.setdefault(page, len(order))
assert order, "nothing of it was executed"
for page, number in order.items():
    print(f"range {page} 1 {number} 1")
sys.exit(run.wait())
