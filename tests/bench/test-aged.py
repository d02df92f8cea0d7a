# SPDX-License-Identifier: MIT
"""An aged image has the files of the one that it is made of, in pieces, on a file system that is nearly full."""

import os
import stat
import subprocess
import unittest
from unittest import mock

import labtest
from lab import aged
from lab.device import Device

SIZES = (0, 1, 4096, 70_000, 1 << 20, 9 << 20)


def make_image(folder):
    tree = os.path.join(folder, "tree")
    os.makedirs(os.path.join(tree, "below/deeper"))
    for number, size in enumerate(SIZES):
        with open(os.path.join(tree, "below", str(number)), "wb") as file:
            file.write(os.urandom(size))
    os.chmod(os.path.join(tree, "below/4"), 0o4711)
    os.utime(os.path.join(tree, "below/5"), ns=(1, 123_456_789_000_000_000))
    os.link(os.path.join(tree, "below/3"), os.path.join(tree, "another"))
    os.symlink("below/deeper", os.path.join(tree, "link"))
    os.symlink("nowhere", os.path.join(tree, "below/dangling"))
    os.mkfifo(os.path.join(tree, "fifo"), 0o600)
    os.chown(os.path.join(tree, "fifo"), 12, 34)
    path = os.path.join(folder, "image")
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", tree, path, "32M"], check=True, stdout=subprocess.DEVNULL)
    return path


def contents(root):
    """Of each path: what the file system says of it, and its text. Folders differ in size."""
    found = {}
    for folder, below, names in os.walk(root):
        if os.path.relpath(folder, root) == ".":
            below[:] = [name for name in below if name not in ("lost+found", "var")]
        for path in [os.path.join(folder, name) for name in names + below]:
            about = os.lstat(path)
            text = None
            if stat.S_ISREG(about.st_mode):
                with open(path, "rb") as file:
                    text = file.read()
            elif stat.S_ISLNK(about.st_mode):
                text = os.readlink(path)
            found[os.path.relpath(path, root)] = (about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_nlink, text)
    return found


def pieces(path):
    said = subprocess.run(["filefrag", path], check=True, capture_output=True, text=True).stdout
    return int(said.rpartition(": ")[2].split()[0])


class Aged(unittest.TestCase):
    def test_it_is_made_once_for_each_image(self):
        folder = self.enterContext(labtest.scratch())
        self.enterContext(mock.patch.dict(os.environ, {"HEADSTART_BENCH_CACHE": os.path.join(folder, "cache")}))
        made = []
        with mock.patch.object(aged, "make", lambda image, path, _: made.append(image) or open(path, "xb").close()):
            image = make_image(folder)
            first = aged.aged(image, labtest.SLOWDISK, lambda text: None)
            self.assertEqual(aged.aged(image, labtest.SLOWDISK, lambda text: None), first)
            os.utime(image, (1, 1))
            self.assertNotEqual(aged.aged(image, labtest.SLOWDISK, lambda text: None), first)
        self.assertEqual(made, [image, image])

    def test_the_files_are_the_same_and_lie_in_pieces(self):
        folder = self.enterContext(labtest.scratch())
        image, path = make_image(folder), os.path.join(folder, "aged")
        aged.make(image, path, labtest.SLOWDISK)
        with Device("none", image, slowdisk=labtest.SLOWDISK) as device:
            before = contents(device.root)
        with Device("none", path, slowdisk=labtest.SLOWDISK) as device:
            self.assertEqual(contents(device.root), before)
            self.assertTrue(0.8 < aged.in_use(device.root) < 0.9, aged.in_use(device.root))
            self.assertGreater(pieces(os.path.join(device.root, "below/5")), 4)
        self.assertEqual(sorted(os.listdir(folder)), ["aged", "image", "tree"])


if __name__ == "__main__":
    labtest.need("mke2fs", "filefrag")
    unittest.main()
