# SPDX-License-Identifier: MIT
"""A loop device in direct-I/O mode, by ioctl, so that simultaneous benchmarks never take the same one."""

import errno
import fcntl
import os
import re
import struct

from lab import LabError

_LOOP_CTL_GET_FREE = 0x4C82
_LOOP_CONFIGURE = 0x4C0A       # Linux 5.8
_LOOP_CLR_FD = 0x4C01
_AUTOCLEAR, _DIRECT_IO = 4, 16
_CONFIG = struct.Struct("=II 5Q 4I 64s 64s 32s 2Q 64x")     # struct loop_config with its struct loop_info64


class Loop:
    """A loop device over a file; `path` and `name` say which. detach() detaches it; otherwise the kernel does, once no
    process has it open or mounted."""

    def __init__(self, file):
        backing = os.open(file, os.O_RDWR | os.O_CLOEXEC)
        try:
            self.fd, self.path = _attach(backing, file)
        finally:
            os.close(backing)
        self.name = os.path.basename(self.path)
        self._before = {}
        # udev ignores a locked device; otherwise it would read from it after each unmount.
        fcntl.flock(self.fd, fcntl.LOCK_EX)

    def is_direct(self):
        with open(f"/sys/block/{self.name}/loop/dio", encoding="ascii") as file:
            return file.read().strip() == "1"

    def tune(self, **settings):
        """Sets values of the device's queue, in this order, until detach(). (The order counts: a change of the
        queue's limits, such as rotational, also resets read_ahead_kb.)"""
        try:
            self._before = {setting: self._read(setting) for setting in settings}
            for setting, value in settings.items():
                self._write(setting, value)
        except OSError as error:
            raise LabError(f"cannot tune the queue of '{self.name}': {error}") from None

    def _setting(self, setting):
        return f"/sys/block/{self.name}/queue/{setting}"

    def _read(self, setting):
        with open(self._setting(setting), encoding="ascii") as file:
            text = file.read().strip()
        chosen = re.search(r"\[(.*)\]", text)      # among several
        return chosen.group(1) if chosen else text

    def _write(self, setting, value):
        with open(self._setting(setting), "w", encoding="ascii") as file:
            file.write(str(value))

    def detach(self):
        """Restores the queue and detaches the device. The file is free when this returns, unless the device is still
        mounted somewhere."""
        try:
            for setting, value in self._before.items():
                self._write(setting, value)
        finally:
            fcntl.ioctl(self.fd, _LOOP_CLR_FD)
            os.close(self.fd)


def _attach(backing, file):
    """Takes a free loop device: (open fd, path)."""
    while True:
        try:
            with open("/dev/loop-control", "rb") as control:
                path = f"/dev/loop{fcntl.ioctl(control, _LOOP_CTL_GET_FREE)}"
            fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise LabError(f"there is no loop device to be had: {error.strerror}") from None
        name = os.fsencode(file)[:63]
        config = _CONFIG.pack(backing, 0, *[0] * 5, 0, 0, 0, _AUTOCLEAR | _DIRECT_IO, name, b"", b"", 0, 0)
        try:
            fcntl.ioctl(fd, _LOOP_CONFIGURE, config)
            return fd, path
        except OSError as error:
            os.close(fd)
            if error.errno != errno.EBUSY:      # busy: another process was faster, so ask for another device
                raise LabError(f"cannot lay a loop device over '{file}': {error.strerror}") from None
