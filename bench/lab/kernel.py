# SPDX-License-Identifier: MIT
"""System calls that Python's standard library does not have, with OSError instead of errno."""

import ctypes
import errno
import fcntl
import mmap
import os
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_NOATIME = 1, 2, 4, 8, 1024
MS_BIND, MS_REC, MS_PRIVATE, MS_SLAVE = 4096, 16384, 1 << 18, 1 << 19
MNT_DETACH = 2
BLKFLSBUF = 0x1261

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SYS_OPENAT2 = 437         # the same numbers on every architecture; Linux 5.6
_SYS_CACHESTAT = 451       # Linux 6.5
_RESOLVE_IN_ROOT = 16
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int64)
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)


def _checked(result, subject=None):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), subject)
    return result


def _bytes(text):
    return None if text is None else os.fsencode(text)


def mount(source, target, file_system=None, flags=0, options=None):
    _checked(_libc.mount(_bytes(source), _bytes(target), _bytes(file_system), flags, _bytes(options)), target)


def unmount(target, flags=0):
    _checked(_libc.umount2(_bytes(target), flags), target)


def pivot_root(new_root):
    """Makes a mount the root of this mount namespace, and removes all earlier mounts from the namespace."""
    os.chdir(new_root)
    _checked(_libc.pivot_root(b".", b"."), new_root)
    unmount(".", MNT_DETACH)        # the old root is on top of the new one
    os.chdir("/")


def unshare(flags):
    _checked(_libc.unshare(flags), "unshare")


def private_mounts():
    """Moves this process into a mount namespace of its own. The host's unmounts still come in; nothing goes out."""
    unshare(CLONE_NEWNS)
    mount(None, "/", None, MS_REC | MS_SLAVE)


def die_with_parent(signal_number):
    """Has the kernel send this process the signal when the thread that forked it ends."""
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl")


def adopt_orphans():
    """Makes descendants whose parent ends children of this process."""
    _checked(_libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl")


def syncfs(path):
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _checked(_libc.syncfs(fd), path)
    finally:
        os.close(fd)


def open_in_root(root, path):
    """Opens `path` for reading with `root` as the root directory, also for absolute symbolic links."""
    folder = os.open(root, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        how = (ctypes.c_uint64 * 3)(os.O_RDONLY | os.O_CLOEXEC, 0, _RESOLVE_IN_ROOT)
        return _checked(_libc.syscall(_SYS_OPENAT2, folder, _bytes(path), how, ctypes.sizeof(how)), path)
    finally:
        os.close(folder)


def loopback_up():
    """Switches the interface 'lo' of this network namespace on."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sock:
        request = struct.pack("16sH22x", b"lo", 0)
        _, flags = struct.unpack("16sH22x", fcntl.ioctl(sock, _SIOCGIFFLAGS, request))
        fcntl.ioctl(sock, _SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | _IFF_UP))


def resident_pages(fd, size):
    """How many pages of the first `size` bytes of a file or block device are in the page cache. Reads none.

    Needs root: for other users mincore(2) reports everything as resident.
    """
    if size == 0:
        return 0
    what, counts = (ctypes.c_uint64 * 2)(0, size), (ctypes.c_uint64 * 5)()
    if _libc.syscall(_SYS_CACHESTAT, fd, what, counts, 0) == 0:
        return counts[0]
    if ctypes.get_errno() != errno.ENOSYS:
        _checked(-1, "cachestat")
    return _resident_by_mincore(fd, size)


def _resident_by_mincore(fd, size):
    address = _libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, fd, 0)
    if address == ctypes.c_void_p(-1).value:
        _checked(-1, "mmap")
    try:
        pages = (ctypes.c_ubyte * ((size + mmap.PAGESIZE - 1) // mmap.PAGESIZE))()
        _checked(_libc.mincore(address, size, pages), "mincore")
        return sum(page & 1 for page in pages)
    finally:
        _libc.munmap(address, size)
