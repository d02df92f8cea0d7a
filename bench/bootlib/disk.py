# SPDX-License-Identifier: MIT
"""The machine's disk: a small Debian server with headstart in it, root on ext4, kernel and initramfs of Debian's own.

It is made in a folder and laid out as an image. QEMU itself starts the kernel, so that a test can add words to its
command line, as a user can in a boot loader.
"""

import dataclasses
import glob
import os
import shutil

from bootlib.architecture import Architecture
from lab import LabError, test_tool
from lab.image import bootstrap, host_release, make_file_system, used_bytes
from suitelib.chroot import install

PACKAGES = (
    "systemd-sysv", "libpam-systemd", "dbus", "udev", "initramfs-tools", "login", "kmod", "busybox-static",
    # a server's daemons and tools
    "avahi-daemon", "chrony", "cron", "e2fsprogs", "iproute2", "openssh-server", "polkitd", "procps", "rsyslog", "sudo",
    "util-linux",
    "libdw1", "libelf1", "libjson-c5", "liblzma5", "libtraceevent1", "libtracefs1", "liburing2", "libxcb1", "libxxhash0", "python3",
    "gdb",      # the program that use.py records
)
FREE = 1 << 30              # bytes, in the file system
UNIT = """[Unit]
After=multi-user.target
[Service]
ExecStart=/usr/bin/python3 /usr/local/lib/boot-report.py
StandardOutput=null
StandardError=null
[Install]
WantedBy=multi-user.target
"""
# Only what this machine needs: under qemu-user it took more than ten minutes to collect a small part of all modules.
SMALL_INITRAMFS = (("etc/initramfs-tools/conf.d/boot", "MODULES=list\n"),
                   ("usr/share/initramfs-tools/modules.d/boot", "virtio_pci\nvirtio_blk\next4\n"))
FILES = {
    "etc/fstab": "/dev/vda / ext4 errors=remount-ro 0 1\n",
    "etc/hostname": "server\n",
    "etc/systemd/system/boot-report.service": UNIT,
}


@dataclasses.dataclass(frozen=True)
class Disk:
    path: str
    architecture: Architecture
    kernel: str
    initrd: str


def make(folder, build, architecture, packages=PACKAGES):
    """A Disk in the folder. `build` is a build of headstart with prefix /usr, for that Architecture."""
    tree = os.path.join(folder, "root")
    foreign = {} if architecture.is_native() else {"architecture": architecture.name, "files": SMALL_INITRAMFS}
    bootstrap(tree, host_release(), (*packages, architecture.kernel_package), **foreign)
    install(build, tree)
    furnish(tree, build)
    boot = {name: one(os.path.join(tree, "boot", name + "-*")) for name in ("vmlinuz", "initrd.img")}
    disk = Disk(os.path.join(folder, "disk"), architecture,
                *(shutil.copy(path, os.path.join(folder, name)) for name, path in boot.items()))
    make_file_system(tree, disk.path, used_bytes(tree) + FREE)
    shutil.rmtree(tree)
    return disk


def furnish(tree, build):
    for name, text in FILES.items():
        with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.symlink("/etc/systemd/system/boot-report.service",
               os.path.join(tree, "etc/systemd/system/multi-user.target.wants/boot-report.service"))
    for name, path in (("inside.py", "boot-report.py"), ("use.py", "boot-use.py")):
        shutil.copy(os.path.join(os.path.dirname(__file__), name), os.path.join(tree, "usr/local/lib", path))
    for path in (test_tool(build, "make-profile"), os.path.join(build, "bench/libkiller.so")):
        shutil.copy(path, os.path.join(tree, "usr/local/lib"))


def one(pattern):
    found = glob.glob(pattern)
    if len(found) != 1:
        raise LabError(f"the machine's disk has {len(found)} files '{pattern}', not one")
    return found[0]
