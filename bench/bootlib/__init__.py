# SPDX-License-Identifier: MIT
"""A machine of its own that boots with the preload shim in /etc/ld.so.preload.

    architecture.py   what QEMU is told for each
    disk.py      a Debian server on a disk image, with headstart installed
    machine.py   QEMU, and its serial console
    inside.py    runs in the booted machine: reports on it, and runs the next script
    use.py       runs in the booted machine, too: records a program's start there, and uses the recording
    steps.py     the boots: without the line, with it, and the ways out when it goes wrong
    verdict.py   compares one boot with those without the line
    own.py       headstart's own tests, run on the machine's kernel
"""
