# SPDX-License-Identifier: MIT
"""Plans for programs that the suites start, kept cold, so that the shim acts on them.

A plan has the program itself and a file that nothing else reads. While cold_plans() lasts, that file is removed from
the page cache several times a second. Every second plan is for a rotational disk: its program waits for the prefetcher.
A file that is back in memory proves that a prefetcher has run; there is no log, since the shim writes none when only
/etc/ld.so.preload loads it.
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
    """Makes root's plans in the chroot. Returns the files to keep cold, by their paths on the host."""
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
    """Counts how often a file was in memory again."""

    def __init__(self):
        self.prefetched = 0


@contextlib.contextmanager
def cold_plans(files):
    """Yields a Cold that keeps counting."""
    ended = threading.Event()
    cold = Cold()

    def evict_all():
        """Returns how many of the files were in memory."""
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
