# SPDX-License-Identifier: MIT
"""Plans for programs that the suites start, so that the shim has something to do, and cold ones, so that it does it.

A plan has the program itself and a file that nobody else reads. As long as cold_plans() lasts, that file is thrown out
of the page cache several times a second. Every second plan is for a rotational disk: its program waits for the prefetcher.
That a file was back in memory shows that a prefetcher has run: the shim writes no log when /etc/ld.so.preload alone loads it.
"""

import contextlib
import os
import shutil
import threading

from lab import kernel, test_tool

STATE = "/usr/lib/headstart-suites"     # the files that are kept cold, descriptions and logs
SYSTEM = ("/usr/bin/dash", "/usr/bin/bash", "/usr/bin/env", "/usr/bin/cat", "/usr/bin/perl", "/usr/bin/python3.11")
DEVICES = ("solid", "rotational")
FILE_PAGES = 256
PAGE = 4096
EVERY = 0.05            # seconds


def make_plans(tree, build, programs):
    """Makes the plans, root's, in the chroot. Returns the files to be kept cold, as the host names them."""
    os.makedirs(tree.inside(STATE))
    shutil.copy(test_tool(build, "make-profile"), tree.inside(STATE))
    cold = []
    for number, program in enumerate(programs):
        if not os.path.exists(tree.inside(program)):
            continue
        file = f"{STATE}/{number}.data"
        with open(tree.inside(file), "wb") as out:
            out.write(os.urandom(FILE_PAGES * PAGE))
            os.fsync(out.fileno())
        tree.write(f"{STATE}/{number}.text", f"program {program}\nfile regular {program}\nrange 0 1 0 1\n"
                                             f"file regular {file}\nrange 0 {FILE_PAGES} 1 1\n")
        tree.must("making a plan", f'cd {STATE} && ./make-profile "$1.profile" <"$1.text" && '
                  'headstart plan --device "$2" "$1.profile"', str(number), DEVICES[number % len(DEVICES)])
        cold.append(tree.inside(file))
    return cold


class Cold:
    """How often a file was found in memory again."""

    def __init__(self):
        self.prefetched = 0


@contextlib.contextmanager
def cold_plans(files):
    """Gives a Cold that goes on counting."""
    ended = threading.Event()
    cold = Cold()

    def evict_all():
        """Returns how many were in memory."""
        found = 0
        for path in files:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            found += kernel.resident_pages(fd, FILE_PAGES * PAGE) > 0
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)
        return found

    def evict():
        while not ended.wait(EVERY):
            cold.prefetched += evict_all()

    evict_all()     # they have just been written
    thread = threading.Thread(target=evict)
    thread.start()
    try:
        yield cold
    finally:
        ended.set()
        thread.join()
