# SPDX-License-Identifier: MIT
"""The kinds of machine that QEMU can be, by Debian's names of them."""

import dataclasses
import os
import platform
import re

from lab import LabError

_HOST = {"x86_64": "amd64", "aarch64": "arm64"}
# The machine's clock counts its instructions, one for each nanosecond, so the machine does not notice how slow it is:
# headstart's decisions depend on how many microseconds an answer takes.
_COUNTED = ("-icount", "shift=0")


@dataclasses.dataclass(frozen=True)
class Architecture:
    name: str
    qemu: str               # the program
    qemu_package: str
    kernel_package: str
    hardware: tuple         # QEMU's arguments with KVM
    emulation: tuple        # and without
    console: str            # the terminal on QEMU's first serial port
    report_port: tuple      # QEMU's arguments for the port to which the machine reports; "{}" stands for the file behind it
    report_device: str      # that port in the machine

    def is_native(self):
        return _HOST.get(platform.machine()) == self.name

    def has_kvm(self):
        """Whether KVM is there and uses hardware: on x86-64, a KVM without hardware runs no kernel of Debian's."""
        if not self.is_native() or not os.access("/dev/kvm", os.R_OK | os.W_OK):
            return False
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return self.name != "amd64" or bool(re.search(r"\b(vmx|svm)\b", file.read()))

    def processor(self):
        return self.hardware if self.has_kvm() else self.emulation


ALL = {each.name: each for each in (
    Architecture("amd64", "qemu-system-x86_64", "qemu-system-x86", "linux-image-amd64",
                 ("-machine", "accel=kvm", "-cpu", "host"), ("-machine", "accel=tcg", "-cpu", "max", *_COUNTED),
                 "ttyS0", ("-serial", "file:{}"), "/dev/ttyS1"),
    # The virt machine has one serial port of its own; a second one is on its PCI bus.
    Architecture("arm64", "qemu-system-aarch64", "qemu-system-arm", "linux-image-arm64",
                 ("-machine", "virt,accel=kvm,gic-version=host", "-cpu", "host"),
                 ("-machine", "virt,accel=tcg", "-cpu", "max,pauth-impdef=on", *_COUNTED),
                 "ttyAMA0", ("-chardev", "file,id=report,path={}", "-device", "pci-serial,chardev=report"), "/dev/ttyS0"),
)}


def host():
    """The name of this machine's architecture; None if QEMU is not known to be one here."""
    return _HOST.get(platform.machine())


def find(name):
    """The Architecture of that name. Raises LabError."""
    if name not in ALL:
        raise LabError(f"unknown architecture '{name}'; known are {', '.join(ALL)}")
    return ALL[name]
