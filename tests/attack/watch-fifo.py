#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""watch-fifo.py FIFO COMMAND…: runs a command while a writer waits at a FIFO, and says whether anybody opened it to read.

A writer waits in its open until a reader comes. If we are the first reader, after the command, we get what the writer then
writes; if the command was, that went to it, or nowhere. Exit status: 0 untouched, 9 opened, else that of the command.
"""
import os
import select
import subprocess
import sys

fifo, command = sys.argv[1], sys.argv[2:]
ready, tell = os.pipe()
writer = os.fork()
if writer == 0:
    os.write(tell, b"x")
    with open(fifo, "wb", buffering=0) as end:      # the writer waits in this open
        end.write(b"here")
    os._exit(0)
os.read(ready, 1)
while True:         # the only call in which it can sleep
    with open(f"/proc/{writer}/stat") as stat:
        if stat.read().rsplit(")", 1)[1].split()[0] == "S":
            break
status = subprocess.run(command).returncode
reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
came = select.select([reader], [], [], 10)[0] and os.read(reader, 16)
os.close(reader)
os.waitpid(writer, 0)
sys.exit(status or (0 if came == b"here" else 9))
