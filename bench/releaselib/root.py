# SPDX-License-Identifier: MIT
"""A root folder with another Debian release, in which commands see the machine's own processes, devices and tracefs.

A command gets /proc, /sys and /dev of the machine in a mount namespace of its own, which ends with it. So the folder can
be removed at any time: for everybody else there is nothing mounted in it. The folder is the root of that namespace: in a
mere chroot the tests could make no namespaces of their own. The PID namespace is the machine's, because in another one
the recorder cannot work and the shims do nothing.
"""

import contextlib
import os
import shutil
import signal
import subprocess

from lab import kernel
from lab.image import bootstrap, first_mirror
from lab.root import ENVIRONMENT

PROXIES = ("http_proxy", "https_proxy", "no_proxy")


class Root:
    def __init__(self, path):
        self.path = path

    def inside(self, path):
        """The machine's name of a path in the root folder."""
        return os.path.join(self.path, path.lstrip("/"))

    def make(self, release, packages, mirror=None):
        """Installs the release in the folder, which must not exist. A folder that exists is complete."""
        new = self.path + ".new"
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(new)
        bootstrap(new, release, packages, mirror or first_mirror())
        os.rename(new, self.path)

    def popen(self, argv, environment=(), **options):
        """Starts a command in the root folder, as root."""
        proxies = {name: os.environ[name] for name in PROXIES if name in os.environ}
        return subprocess.Popen(argv, env={**ENVIRONMENT, **proxies, **dict(environment)}, stdin=subprocess.DEVNULL,
                                preexec_fn=self._enter, **options)

    def run(self, argv, environment=(), timeout=600):
        """Runs a command to its end. Returns (exit status, standard output, standard error)."""
        with self.popen(argv, environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            out, err = process.communicate(timeout=timeout)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def end_processes(self):
        """Kills what commands have left running in the root folder."""
        root = os.stat(self.path)
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.path.samestat(os.stat(f"/proc/{pid}/root"), root):
                    os.kill(int(pid), signal.SIGKILL)

    def _enter(self):
        kernel.die_with_parent(signal.SIGTERM)
        kernel.private_mounts()
        kernel.mount(self.path, self.path, None, kernel.MS_BIND)
        for name in ("proc", "sys", "dev"):
            kernel.mount(f"/{name}", self.inside(name), None, kernel.MS_BIND | kernel.MS_REC)
        kernel.mount("tmpfs", self.inside("run"), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")
        kernel.pivot_root(self.path)
