# SPDX-License-Identifier: MIT
"""Shared by the tests of bench/lab: the way to the modules, what must be there, a small image."""

import contextlib
import fcntl
import functools
import importlib.machinery
import importlib.util
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
os.umask(0o022)     # plans name no files that some users may not read
SOURCE, BUILD = os.environ["HEADSTART_TEST_SOURCE"], os.environ["HEADSTART_TEST_BUILD"]
BENCH = os.path.join(SOURCE, "bench")
sys.path.insert(0, BENCH)

SLOWDISK = os.path.join(BUILD, "bench", "slowdisk", "slowdisk")
PROBE = os.path.join(BUILD, "tests", "bench", "lab-probe")
DISTURBED = os.path.join(BUILD, "tests", "lib", "disturbed")
TRIES = 10


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def program(name):
    """A program of bench/, as a module."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(BENCH, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def need(*programs, loop=True):
    """Ends the test as skipped unless it is root's and has FUSE, a loop device and the programs."""
    if os.geteuid() != 0:
        skip("needs root, to mount")
    if not os.path.exists("/dev/fuse"):
        skip("needs FUSE: /dev/fuse is not there")
    if loop and not os.path.exists("/dev/loop-control"):
        skip("needs a loop device: /dev/loop-control is not there")
    if not can_unshare():
        skip("needs a private mount namespace, which cannot be made here (is / a mount point?)")
    for program in programs:
        if not shutil.which(program):
            skip(f"needs '{program}', which is not installed")


def can_unshare():
    """In a chroot that is no mount point nothing can be made private."""
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def counters():
    """What can disturb a test, as tests/lib/disturbances.h counts it: for the other two."""
    return subprocess.run([DISTURBED, "now"], check=True, capture_output=True, text=True).stdout.strip()


def disturbed_since(before):
    """What has disturbed since, as text; empty if nothing has."""
    return subprocess.run([DISTURBED, "since", before], check=False, capture_output=True, text=True).stdout.strip()


def load_since(before):
    """The share of the time in which somebody waited for a processor, or this machine for its host."""
    return float(subprocess.run([DISTURBED, "load", before], check=True, capture_output=True, text=True).stdout)


def _until_undisturbed(test):
    @functools.wraps(test)
    def repeated(case):
        for attempt in range(1, TRIES + 1):
            before = counters()
            try:
                return test(case)
            except unittest.SkipTest:
                raise
            except Exception as wrong:
                disturbed = disturbed_since(before)
                if attempt == TRIES or not disturbed:
                    raise
                print(f"try {attempt} of '{test.__name__}' failed, disturbed ({disturbed}): {wrong}", flush=True)
            case.doCleanups()
            case.setUp()
        return None
    return repeated


class Undisturbed(unittest.TestCase):
    """Tests that are repeated, from setUp() on, if they failed while something disturbed them."""

    def leave_untried(self, reason):
        print(f"partial: {self._testMethodName}: {reason}", flush=True)
        self.skipTest(reason)

    def need_programs(self, *programs):
        for program in programs:
            if not shutil.which(program):
                self.leave_untried(f"needs '{program}', which is not installed")

    def __init_subclass__(cls, **arguments):
        super().__init_subclass__(**arguments)
        for name in [name for name in vars(cls) if name.startswith("test_")]:
            setattr(cls, name, _until_undisturbed(vars(cls)[name]))


def libraries(program):
    """The shared objects a program is loaded with, the loader among them."""
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return re.findall(r"(/\S+) \(0x", said)


def copy_into(tree, path):
    """Copies a file of this machine to the same place in an image's folder."""
    os.makedirs(tree + os.path.dirname(path), exist_ok=True)
    shutil.copy(path, tree + path)


def small_image(folder, *paths):
    """An ext4 image with the probe as /probe, files to read: /data (1 MiB), /other, /a/b/c/deep (64 KiB each), and
    these files of this machine."""
    tree = os.path.join(folder, "tree")
    for name in ("a/b/c", "dev", "proc", "root", "run", "sys", "tmp"):
        os.makedirs(os.path.join(tree, name))
    shutil.copy(PROBE, os.path.join(tree, "probe"))
    for name, size in (("data", 1 << 20), ("other", 1 << 16), ("a/b/c/deep", 1 << 16)):
        with open(os.path.join(tree, name), "wb") as file:
            file.write(os.urandom(size))
    for source in paths:
        copy_into(tree, source)
    path = os.path.join(folder, "image")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-E", "root_owner=0:0,lazy_itable_init=0,lazy_journal_init=0",
                    "-d", tree, path, "32M"], check=True, stdout=subprocess.DEVNULL)
    return path


@contextlib.contextmanager
def kept(root, *paths):
    """Files of an image that are in the page cache and stay there: some kernels take out what nobody has mapped."""
    with contextlib.ExitStack() as stack:
        for path in paths:
            with open(root.inside(path), "rb") as file:
                pages = stack.enter_context(mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED | mmap.MAP_POPULATE, mmap.PROT_READ))
            assert len(pages[::mmap.PAGESIZE])      # where MAP_POPULATE did not touch every page
        yield


@contextlib.contextmanager
def turn():
    """Recordings take turns on a machine: what take_turn of tests/lib/sh-lib.sh does."""
    fd = os.open("/sys/kernel", os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def scratch():
    return tempfile.TemporaryDirectory(prefix="headstart-test.")


def mentions(folder):
    """Everything on this machine that still knows of a lab's folder: mounts, loop devices, the folder itself."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        found += [line for line in mounts if folder in line]
    loops = subprocess.run(["losetup", "-a"], check=True, capture_output=True, text=True).stdout
    found += [line for line in loops.splitlines() if folder in line]
    if os.path.exists(folder):
        found.append(folder)
    return found
