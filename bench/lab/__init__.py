# SPDX-License-Identifier: MIT
"""The laboratory of the benchmark: an image of a whole system, a slow disk under it, and programs run in it cold.

    image.py     makes the image, once; variant.py: the same with other files, for a while
    device.py    slow disk, loop device, mount; goes away however the benchmark ends (guardian.py)
    root.py      runs programs inside; shell.py: a shell that runs before they do
    cold.py      makes the page cache cold or warm, and proves it
    kernel.py    the system calls that Python does not have; loop.py: loop devices

Needs root. Every error that a user can do something about is a LabError: one sentence.
"""

import os


class LabError(Exception):
    """One sentence, lower case, without full stop: what is wrong and, where there is something to do, what."""


def test_tool(build, name):
    """The path of a program of tests/lib, which only a build with tests has."""
    path = os.path.join(build, "tests/lib", name)
    if not os.path.exists(path):
        raise LabError(f"'{build}' is built without tests; try: meson setup --reconfigure -Dtests=auto {build} && ninja -C {build}")
    return path


def _fill_standard_streams():
    """A caller may have closed some: files of the lab would take their places, and lose them in whatever is started."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)
    os.close(fd)


_fill_standard_streams()
