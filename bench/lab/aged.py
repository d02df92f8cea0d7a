# SPDX-License-Identifier: MIT
"""An image with the files of another on a file system that is old: full, and with its free space in pieces.

Files fill it nearly, written in small pieces, many at once. A third of them is removed. What they leave is where the files of the
image go, in small pieces, several at once and in random order. Then 85 % of it is in use.
"""

import contextlib
import hashlib
import os
import random
import shutil
import stat
import tempfile

from lab import LabError, kernel
from lab.device import Device
from lab.image import cache_folder, lock, make_file_system, remove_leftovers, used_bytes
from lab.loop import Loop

RECIPE = 1
FULL = 0.85                     # in use at the end
FILLED, LEFT = 0.95, 2 / 3      # in use before files are removed; what stays of them
FILLERS = "var/filler"
AT_ONCE = 12                    # files that are written at the same time
PIECES = (16 << 10, 128 << 10)  # bytes


def aged(image, slowdisk, progress):
    """The path of the aged image; makes it if it does not exist (a minute or two). Raises LabError."""
    about = os.stat(image)
    key = hashlib.sha256(repr((RECIPE, os.path.realpath(image), about.st_size, about.st_mtime_ns)).encode()).hexdigest()[:12]
    path = os.path.join(cache_folder(), f"{os.path.splitext(os.path.basename(image))[0]}-aged-{key}.ext4")
    os.makedirs(cache_folder(), exist_ok=True)
    with lock(os.path.join(cache_folder(), "lock")):
        if not os.path.exists(path):
            progress("ageing the image (a minute or two)")
            make(image, path, slowdisk)
    return path


def make(image, path, slowdisk):
    """Makes it as a temporary file and renames that. The caller holds the cache's lock."""
    remove_leftovers(os.path.dirname(path))
    temporary = tempfile.mkdtemp(prefix="new.", dir=os.path.dirname(path))
    chance = random.Random(RECIPE)
    try:
        new = os.path.join(temporary, "image")
        with Device("none", image, slowdisk=slowdisk) as original:
            size = int(used_bytes(original.root) / (FULL - FILLED * LEFT))
            make_file_system(None, new, size)
            with mounted(new, os.path.join(temporary, "root")) as root:
                fill(os.path.join(root, FILLERS), chance)
                remove_some(os.path.join(root, FILLERS), chance)
                copy(original.root, root, chance)
        os.rename(new, path)
    except OSError as error:
        raise LabError(f"cannot age the image: {error}") from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextlib.contextmanager
def mounted(image, folder):
    """The folder where the image is mounted. Blocks are allocated when they are written, not when they go to the disk."""
    loop = Loop(image)
    try:
        os.mkdir(folder)
        kernel.mount(loop.path, folder, "ext4", options="nodelalloc")
        try:
            yield folder
        finally:
            kernel.unmount(folder)
    finally:
        loop.detach()


def in_use(root):
    room = os.statvfs(root)
    return 1 - room.f_bfree / room.f_blocks


def in_turns(files, chance):
    """Lets files be written piece by piece, AT_ONCE of them in turns. `files` yields functions that write a piece of that size, and
    return whether more is to come."""
    files, under_way = iter(files), []
    while True:
        while len(under_way) < AT_ONCE and (write := next(files, None)):
            under_way.append(write)
        if not under_way:
            return
        write = chance.choice(under_way)
        if not write(chance.randrange(*PIECES, 4096)):
            under_way.remove(write)


def fill(folder, chance):
    """Files that have blocks and no data, most of them small, until the file system is FILLED."""
    def filler(number):
        path = os.path.join(folder, f"{number % 64:02}", f"{number}")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        left, at = min(int(chance.lognormvariate(11, 1.6)), largest) + 1, 0

        def write(piece):
            nonlocal at
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(fd, at, min(piece, left - at))
            finally:
                os.close(fd)
            at += piece
            return at < left

        return write

    def fillers():
        number = 0
        while in_use(os.path.dirname(folder)) < FILLED:
            yield filler(number)
            number += 1

    os.makedirs(folder)
    room = os.statvfs(folder)
    largest = min(16 << 20, room.f_blocks * room.f_bsize // 400)    # those under way must not fill it
    in_turns(fillers(), chance)


def remove_some(folder, chance):
    fillers = sorted(os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names)
    chance.shuffle(fillers)
    for path in fillers:
        if in_use(folder) <= FILLED * LEFT:
            break
        os.unlink(path)


def copy(source, target, chance):
    """Everything below a folder, regular files in random order and in turns."""
    regular, folders, first_names, links = [], [], {}, []
    for parent, below, names in os.walk(source):
        at = os.path.relpath(parent, source)
        folders.append(at)
        os.makedirs(os.path.join(target, at), exist_ok=True)
        for name in sorted(names) + [name for name in below if os.path.islink(os.path.join(parent, name))]:
            path = os.path.normpath(os.path.join(at, name))
            about = os.lstat(os.path.join(source, path))
            if stat.S_ISREG(about.st_mode) and about.st_ino not in first_names:
                regular.append(path)
                first_names[about.st_ino] = path
            elif stat.S_ISREG(about.st_mode):
                links.append((first_names[about.st_ino], path))
            elif stat.S_ISLNK(about.st_mode):
                os.symlink(os.readlink(os.path.join(source, path)), os.path.join(target, path))
                copy_attributes(source, target, path)
            else:
                os.mknod(os.path.join(target, path), about.st_mode, about.st_rdev)
                copy_attributes(source, target, path)
    chance.shuffle(regular)
    in_turns((copier(source, target, path) for path in regular), chance)
    for first, path in links:
        os.link(os.path.join(target, first), os.path.join(target, path))
    for path in reversed(folders):
        copy_attributes(source, target, path)


def copier(source, target, path):
    """A function that copies the next piece of a file. The file stays open: what the file system keeps for it is its own."""
    before = os.open(os.path.join(source, path), os.O_RDONLY | os.O_CLOEXEC)
    after = os.open(os.path.join(target, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)

    def write(piece):
        data = os.read(before, piece)
        os.write(after, data)
        if data:
            return True
        os.close(before)
        os.close(after)
        copy_attributes(source, target, path)
        return False

    return write


def copy_attributes(source, target, path):
    before, after = os.path.join(source, path), os.path.join(target, path)
    about = os.lstat(before)
    os.lchown(after, about.st_uid, about.st_gid)
    shutil.copystat(before, after, follow_symlinks=False)
