# SPDX-License-Identifier: MIT
"""The laboratory of the benchmark: an image of a whole system, a slow disk under it, and programs that run in it cold.

    image.py     makes the image, once; variant.py: makes a temporary image with other files
    device.py    slow disk, loop device, mount; removed however the benchmark ends (guardian.py)
    build.py     what is installed there: a build of headstart, or what is installed here
    root.py      runs programs inside; shell.py: an already running shell that starts them
    cold.py      makes the page cache cold or warm, and proves it
    kernel.py    the system calls that Python does not have; loop.py: loop devices

Needs root. Every error that a user can remedy is a LabError: one sentence.
"""

import os


class LabError(Exception):
    """One sentence, lower case, without full stop: what is wrong and, if possible, what to do."""


def test_tool(build, name):
    """The path of a program of tests/lib, which only a build with tests has."""
    path = os.path.join(build, "tests/lib", name)
    if not os.path.exists(path):
        raise LabError(f"'{build}' is built without tests; try: meson setup --reconfigure -Dtests=auto {build} && ninja -C {build}")
    return path


def _fill_standard_streams():
    """Opens standard streams that the caller has closed. Otherwise files of the lab would take their numbers, which
    each child replaces."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)
    os.close(fd)


_fill_standard_streams()
