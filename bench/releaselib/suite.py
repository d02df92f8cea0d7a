# SPDX-License-Identifier: MIT
"""headstart's own tests in a root folder: a clone of it, and what its tests/run says."""

import os
import shutil
import subprocess
import sys

from lab import LabError

CLONE = "/root/headstart"       # /root is closed to other users, as many homes are


def clone(root, source):
    """Puts the commit of the source folder into the root folder; keeps what was built there before."""
    folder = root.inside(CLONE)
    if not os.path.isdir(os.path.join(folder, ".git")):
        git("clone", "--quiet", "--no-hardlinks", source, folder)
    git("-C", folder, "fetch", "--quiet", source, "HEAD")
    git("-C", folder, "reset", "--quiet", "--hard", "FETCH_HEAD")
    os.chmod(root.inside("/root"), 0o700)


def git(*arguments):
    done = subprocess.run(["git", *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise LabError(f"'git {arguments[0]}' failed: {done.stderr.decode(errors='replace').strip()[-300:]}")


def changed(source):
    """Whether the source folder has changes that its commit, and so the clone, lacks."""
    done = subprocess.run(["git", "-C", source, "status", "--porcelain"], stdout=subprocess.PIPE, check=False)
    return bool(done.stdout.strip())


def run(root, arguments):
    """Runs tests/run, passes on what it says, and returns (exit status, its last line)."""
    shutil.copy("/etc/resolv.conf", root.inside("/etc/resolv.conf"))
    last = ""
    try:
        with root.popen([f"{CLONE}/tests/run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            for line in process.stdout:
                text = line.decode(errors="replace")
                sys.stdout.write(text)
                sys.stdout.flush()
                last = text.strip() or last
    finally:
        root.end_processes()
    return process.returncode, last
