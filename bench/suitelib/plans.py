# SPDX-License-Identifier: MIT
"""Plans for programs that the suites start, so that the shim has something to do, and cold ones, so that it does it.

A plan has the program itself and a file that nobody else reads. As long as cold_plans() lasts, that file is thrown out
of the page cache several times a second. Every second plan is for a rotational disk: its program waits for the prefetcher.
"""

import collections
import contextlib
import os
import re
import shutil
import threading

STATE = "/var/lib/headstart-suites"     # the files that are kept cold, descriptions and logs
SYSTEM = ("/usr/bin/dash", "/usr/bin/bash", "/usr/bin/env", "/usr/bin/cat", "/usr/bin/perl", "/usr/bin/python3.11")
DEVICES = ("solid", "rotational")
FILE_PAGES = 256
PAGE = 4096
EVERY = 0.05            # seconds


def make_plans(tree, build, programs):
    """Makes the plans, root's, in the chroot. Returns the files to be kept cold, as the host names them."""
    os.makedirs(tree.inside(STATE))
    shutil.copy(os.path.join(build, "tests/lib/make-profile"), tree.inside(STATE))
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


@contextlib.contextmanager
def cold_plans(files):
    ended = threading.Event()

    def evict():
        while not ended.wait(EVERY):
            for path in files:
                fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(fd)

    thread = threading.Thread(target=evict)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def log_of(tree, name):
    """A file for the shim's words about a project; everybody may write it."""
    path = tree.inside(f"{STATE}/{name}.log")
    with open(path, "w", encoding="utf-8"):
        pass
    os.chmod(path, 0o666)
    return f"{STATE}/{name}.log"


def launches(tree, log):
    """{what the shim did: how often}"""
    with open(tree.inside(log), encoding="utf-8", errors="replace") as file:
        return dict(collections.Counter(re.findall(r"^preload .*\bplan=([a-z-]+)$", file.read(), re.MULTILINE)))
