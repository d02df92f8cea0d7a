# SPDX-License-Identifier: MIT
"""Making the page cache of a Device cold or warm, and proving it.

Unmounting makes it cold. The proof has two parts: Device.forget() shows that neither a file system nor a page of the
device is in memory, and so no inode or directory either. A look at each file through a temporary mount shows that no
page of it has survived. (/proc/sys/vm/drop_caches would empty the caches of the whole machine, leave what is mapped or
dirty, and prove nothing.)
"""

import errno
import os
import stat

from lab import kernel

_PAGE = os.sysconf("SC_PAGESIZE")


class NotCold(Exception):
    """Names the file or device that still has pages in the page cache."""


class NotWarm(Exception):
    """Names the file that lacks pages in the page cache."""


def drops():
    """How often something was written to /proc/sys/vm/drop_caches since the machine started, as something to compare."""
    with open("/proc/vmstat", "rb") as file:        # text needs a codec, which Python would search for in the image of a run
        return [line for line in file if line.startswith((b"drop_pagecache ", b"drop_slab "))]


def make_cold(device, files=None):
    """Makes the Device cold: only what mounting reads is in memory afterwards. Switches the delay off.

    `files` are paths in the image ("/usr/bin/sed") that are checked one by one; None: all regular files, which takes
    about a second. A path that does not exist is absent from the page cache too. Raises NotCold, also if a process or
    another mount namespace keeps the file system busy.
    """
    device.delay(False)
    _remount(device)
    for path, pages in _resident(device.root, files):
        if pages:
            raise NotCold(f"{pages} pages of '{path}' are in the page cache")
    _remount(device)        # the check has loaded the files' inodes


def make_warm(device, files):
    """Reads each of the files (paths in the image) whole, at full speed, and verifies that."""
    device.delay(False)
    for path in files:
        with open(_on_host(device.root, path), "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass
    verify_warm(device.root, files)


def verify_warm(root, files):
    """Raises NotWarm unless the files are in the page cache. If `files` is a dictionary, as resident_files() returns,
    each path must have at least that many pages; if it is a list, all of them."""
    wanted = files if isinstance(files, dict) else {}
    for path, pages in _resident(root, files):
        whole = (os.stat(_on_host(root, path)).st_size + _PAGE - 1) // _PAGE
        want = wanted.get(path, whole)
        if pages < want:
            raise NotWarm(f"{want - pages} of {want} pages of '{path}' are not in the page cache")


def resident_files(root):
    """{path in the image: pages in the page cache} of all regular files that have any. The delay should be off."""
    return {path: pages for path, pages in _resident(root) if pages}


def _remount(device):
    try:
        device.unmount()
        pages = device.forget()
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        raise NotCold(f"the file system of '{device.loop}' is still in use") from None
    device.mount()
    if pages:
        raise NotCold(f"{pages} pages of '{device.loop}' are in the page cache")


def _on_host(root, path):
    return os.path.join(root, path.lstrip("/"))


def _resident(root, files=None):
    """(path in the image, pages in the page cache) of the regular files among `files`, or of all."""
    for path in _regular_files(root) if files is None else files:
        try:
            fd = os.open(_on_host(root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            status = os.fstat(fd)
            if stat.S_ISREG(status.st_mode):
                yield path, kernel.resident_pages(fd, status.st_size)
        finally:
            os.close(fd)


def _regular_files(folder, prefix="/"):
    """Paths in the image of the regular files of one file system."""
    with os.scandir(folder) as entries:
        for entry in entries:
            path = os.path.join(prefix, entry.name)
            if entry.is_dir(follow_symlinks=False):
                yield from _regular_files(entry.path, path)
            elif entry.is_file(follow_symlinks=False):
                yield path
