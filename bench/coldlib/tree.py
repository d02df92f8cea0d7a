# SPDX-License-Identifier: MIT
"""A git repository with a checked-out tree of many small files, the same each time."""

import os
import random
import subprocess
import time

FILES_OF_FOLDER = 15    # as in the sources of Linux 6.1: 78,600 files in 5,000 folders
SIZES = (200, 1500, 4000, 4000, 9000, 30000)    # bytes, likewise from very small to large
ENVIRONMENT = {"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
TO_NEXT_SECOND = 1.1    # git compares whole seconds


def make(path, files):
    """Makes the repository at `path`, with so many files, and checks them out."""
    os.makedirs(path)
    git(path, "init", "--quiet", "--initial-branch=main")
    git(path, "fast-import", "--quiet", stdin=b"".join(commit(files)))
    git(path, "checkout", "--quiet", "main")
    # A file that is as new as the index would be read each time to see whether it has changed.
    time.sleep(TO_NEXT_SECOND)
    os.utime(os.path.join(path, ".git/index"))


def git(path, *arguments, stdin=None):
    subprocess.run(["git", "-C", path, *arguments], env={"PATH": os.environ["PATH"], **ENVIRONMENT}, input=stdin, check=True,
                   stdout=subprocess.DEVNULL)


def names(files):
    """Folders three levels deep."""
    for number in range(files):
        folder = number // FILES_OF_FOLDER
        yield f"part{folder % 20:02}/group{folder // 20 % 12:02}/folder{folder:05}/file{number:06}.c"


def commit(files):
    """The stream of git-fast-import(1): one commit with all files."""
    chance = random.Random(files)
    words = [f"word{chance.randrange(1 << 30):x}" for _ in range(4096)]
    yield b"commit refs/heads/main\ncommitter bench <bench@example.org> 1767225600 +0000\ndata 4\ntree\n"
    for name in names(files):
        text, size = [], chance.choice(SIZES)
        while size > 0:
            text.append(" ".join(chance.choices(words, k=8)))
            size -= len(text[-1]) + 1
        data = ("\n".join(text) + "\n").encode()
        yield b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
