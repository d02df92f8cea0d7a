#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs a command with the name of a fresh terminal in $TERMINAL, and says whether anybody opened that terminal.

The master knows: once the last who had the terminal open has closed it, reading from the master fails with EIO; while
nobody ever had, there is just nothing to read. Exit status: 0 untouched, 9 opened, else that of the command.
"""
import errno
import fcntl
import os
import struct
import subprocess
import sys

TIOCGPTN, TIOCSPTLCK = 0x80045430, 0x40045431
try:
    master = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(master, TIOCSPTLCK, struct.pack("i", 0))
    number = struct.unpack("I", fcntl.ioctl(master, TIOCGPTN, bytes(4)))[0]
except OSError as error:
    sys.exit(print(f"SKIP: no terminals here: {error.strerror}") or 77)
status = subprocess.run(sys.argv[1:], env={**os.environ, "TERMINAL": f"/dev/pts/{number}"}).returncode
try:
    os.read(master, 1)
    opened = True       # somebody wrote
except OSError as error:
    opened = error.errno == errno.EIO
sys.exit(status or (9 if opened else 0))
