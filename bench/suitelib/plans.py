# SPDX-License-Identifier: MIT
"""Plans for programs that the suites start, kept cold, so that the shim or the daemon acts on them.

A plan has the program itself and a file that nothing else reads. While cold_plans() lasts, that file is removed from
the page cache several times a second. Every second plan is for a rotational disk: its program waits for the prefetcher.
A file that is back in memory proves that a prefetcher has run; there is no log, since the shim writes none when only
/etc/ld.so.preload loads it. Beside the daemon, which is to learn as well, the page cache of the whole machine is emptied, too.
"""

import contextlib
import itertools
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
ALL_EVERY = 200         # of these: the whole page cache, each ten seconds


def make_plans(tree, build, programs, plan, outside=""):
    """Describes root's plans, in which names of files begin with `outside`, and has each made by plan(number, device). Returns the files to
    keep cold, by their paths on the host."""
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
        tree.write(f"{STATE}/{number}.text", f"program {outside}{program}\nfile regular {outside}{program}\nrange 0 1 0 1\n"
                                             f"file regular {outside}{file}\nrange 0 {FILE_PAGES} 1 1\n")
        plan(str(number), DEVICES[number % len(DEVICES)])
        cold.append(tree.inside(file))
    return cold


class Cold:
    """Counts how often a file was in memory again."""

    def __init__(self):
        self.prefetched = 0


@contextlib.contextmanager
def cold_plans(files, all_of_it=False):
    """Yields a Cold that keeps counting. `all_of_it`: empties the page cache of the machine, too, each ten seconds."""
    ended = threading.Event()
    cold = Cold()
    failures = []

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
        try:
            for turn in itertools.count(1):
                if ended.wait(EVERY):
                    break
                cold.prefetched += evict_all()
                if all_of_it and turn % ALL_EVERY == 0:
                    empty_page_cache()
        except OSError as error:
            failures.append(error)

    evict_all()     # they have just been written
    thread = threading.Thread(target=evict)
    thread.start()
    try:
        yield cold
    finally:
        ended.set()
        thread.join()
    if failures:
        raise failures[0]


def empty_page_cache():
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
        file.write("1\n")
