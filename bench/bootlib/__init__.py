# SPDX-License-Identifier: MIT
"""A machine of its own that boots with the preload shim in /etc/ld.so.preload.

    disk.py      a Debian server on a disk image, headstart installed in it
    machine.py   QEMU, and the serial console driven by what it says
    inside.py    runs in the machine when it has booted: what is there, and what is to be done next
    steps.py     the boots: without the line, with it, and out of the ways in which it can go wrong
    verdict.py   what one boot says against those without the line
    own.py       headstart's own tests, run on the machine's kernel
"""
