# SPDX-License-Identifier: MIT
"""A slow disk with an ext4 file system, mounted where no other process sees it.

    with Device("hdd", image.image()) as device:
        device.root                  # the mounted file system, in this process's own mount namespace
        device.loop                  # the block device, "/dev/loop3"

The first Device of a process moves the process into a mount namespace of its own, for good: the host never sees the
mounts, and they cannot outlive the processes in that namespace. The guardian removes the rest (loop device, slowdisk,
folder) however this process ends. Whatever is written to the file system is lost with the Device.
"""

import fcntl
import json
import os

from lab import LabError, kernel
from lab.guardian import Guardian

MODELS = ("hdd", "sdcard", "emmc", "cloud", "lazy", "ssd", "virtual", "nvme", "none")
_SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOWDISK = os.path.join(_SOURCE, "build", "bench", "slowdisk", "slowdisk")

_namespace_of = None     # the process that has been given its own mount namespace


class Device:
    """`model` is one of MODELS; `image` is the path of an image of that file system, which is never written; `seed` is that of
    hdd's random numbers; `slowdisk` is the program, by default the one in build/. A squashfs is mounted read-only.

    The modelled delay is off except between delay(True) and delay(False): preparations run at full speed. Raises
    LabError if root, FUSE, a loop device or the program is missing.
    """

    def __init__(self, model, image, seed=0, slowdisk=SLOWDISK, file_system="ext4"):
        if model not in MODELS:
            raise LabError(f"there is no device model '{model}'; there are: {', '.join(MODELS)}")
        self.model = model
        self.image = image
        self.seed = seed
        self.slowdisk = slowdisk
        self.file_system = file_system
        self.root = None
        self.loop = None
        self._control = None

    def __enter__(self):
        if os.geteuid() != 0:
            raise LabError("the slow disk needs root: it is mounted over a loop device")
        if not os.path.exists("/dev/fuse"):
            raise LabError("the slow disk needs FUSE, and '/dev/fuse' is not there; try: modprobe fuse")
        _enter_own_namespace()
        self._guardian = Guardian(self.model, self.image, self.seed, self.slowdisk)
        try:
            folder = self._guardian.lab["folder"]
            self.loop = self._guardian.lab["loop"]
            self.root = os.path.join(folder, "root")
            # A descriptor, not a path: it also works from inside the image's root.
            self._control = os.open(os.path.join(folder, "disk", "disk.img"), os.O_RDONLY | os.O_CLOEXEC)
            self.delay(False)
            self.mount()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._control is not None:
            os.close(self._control)
        self._guardian.dismiss()

    def mount(self):
        """Mounts the file system at .root, without access times."""
        flags = kernel.MS_NOATIME | (kernel.MS_RDONLY if self.file_system == "squashfs" else 0)
        kernel.mount(self.loop, self.root, self.file_system, flags)

    def unmount(self):
        """Unmounts it; OSError (EBUSY) if something in it is open."""
        kernel.unmount(self.root)

    def forget(self):
        """Between unmount() and mount(): proves that no file system lives on the device any more, in any mount
        namespace, drops what the page cache holds of the device itself, and returns how many pages it still holds.

        No file system means no page of a file, no inode and no directory entry of it in memory; no page of the device
        means no metadata. OSError (EBUSY) if there still is one.
        """
        fd = os.open(self.loop, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)    # a mounted device is held exclusively
        try:
            fcntl.ioctl(fd, kernel.BLKFLSBUF)
            return kernel.resident_pages(fd, os.lseek(fd, 0, os.SEEK_END))
        finally:
            os.close(fd)

    def delay(self, on):
        """Serves reads at the model's speed from now on, or at full speed. Writes always take no time."""
        os.setxattr(self._control, "user.slowdisk.delay", b"1" if on else b"0")

    def counters(self):
        """{"reads", "delayed", "noncontiguous", "bytes_read", "bytes_reread", "writes", "bytes_written"} since
        reset_counters().

        delayed counts the reads that were served at the model's speed. bytes_reread counts the part of bytes_read that
        had been read before, since the reset, and not been written in between.
        """
        return json.loads(os.getxattr(self._control, "user.slowdisk.counters"))

    def reset_counters(self):
        """Sets the counters to 0. The model lazy forgets the blocks that it has fetched."""
        os.setxattr(self._control, "user.slowdisk.reset", b"1")


def _enter_own_namespace():
    global _namespace_of
    if _namespace_of == os.getpid():
        return
    try:
        kernel.private_mounts()
    except OSError as error:
        raise LabError(f"cannot have a mount namespace of its own: {error.strerror}") from None
    _namespace_of = os.getpid()
