# SPDX-License-Identifier: MIT
"""A temporary Debian root folder, and programs that run in it.

bench/suites writes an /etc/ld.so.preload only here, and only after a check that this is the folder made here. A process
forked beforehand removes the folder when this process ends, however it ends. Mounts are in a mount namespace of this
process's own, so that other process does not see them.
"""

import contextlib
import glob
import hashlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile

from lab import LabError, kernel
from lab.image import bootstrap
from lab.root import ENVIRONMENT

USER = 12345                # the user who runs the suites
MARK = ".headstart-suites"  # holds what only this process knows
PRELOAD = "ld.so.preload"
EVERYWHERE = "/etc/headstart/everywhere"      # programs here run in PID namespaces of their own


class HostTouched(Exception):
    """The host's own /etc/ld.so.preload has changed."""


@contextlib.contextmanager
def chroot(release, packages, place):
    """A Chroot with the packages, below the folder `place`. Moves this process into a mount namespace of its own."""
    with temporary_folder(place, "headstart-suites.") as folder:
        kernel.private_mounts()
        tree = os.path.join(folder, "root")
        bootstrap(tree, release, packages)
        yield Chroot(tree)


@contextlib.contextmanager
def temporary_folder(place, prefix):
    """A folder below `place` that is removed however this process ends. Raises HostTouched at its end if the host's
    /etc/ld.so.preload has changed."""
    before = host_preload()
    folder = tempfile.mkdtemp(prefix=prefix, dir=place)
    alive = _guard(folder)
    try:
        os.chmod(folder, 0o755)      # apt's download user must be able to enter it
        yield folder
    finally:
        os.close(alive[1])
        os.waitpid(alive[0], 0)
        if host_preload() != before:
            raise HostTouched("/etc/ld.so.preload of this machine is another than before")


def install(build, tree):
    """Installs a build of headstart whose prefix is /usr in a root folder."""
    done = subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", tree],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise LabError(f"'meson install' failed: {done.stdout.decode(errors='replace').strip()[-300:]}")
    if not glob.glob(os.path.join(tree, "usr/lib*/**/headstart/libheadstart-preload.so"), recursive=True):
        raise LabError(f"the prefix of '{build}' is not /usr; try: meson setup --prefix=/usr {build}")


def host_preload():
    """What identifies the host's file; None if there is none."""
    try:
        with open("/etc/" + PRELOAD, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return None


def _guard(folder):
    """(pid, descriptor) of a process that removes the folder when the last copy of the descriptor is closed."""
    read_end, write_end = os.pipe2(os.O_CLOEXEC)
    pid = os.fork()
    if pid:
        os.close(read_end)
        return pid, write_end
    try:
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.close(write_end)
        os.read(read_end, 1)
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder):      # a process that was being killed made another file meanwhile
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os._exit(0)


def _end_with_parent():
    kernel.die_with_parent(signal.SIGKILL)


class Chroot:
    def __init__(self, path):
        self.path = path
        self._secret = secrets.token_hex(16)
        self.write("/" + MARK, self._secret)
        for account in ("passwd", "group"):
            with open(self.inside(f"/etc/{account}"), "a", encoding="ascii") as file:
                file.write(f"tester:x:{USER}:{USER}" + ("::/home/tester:/bin/bash\n" if account == "passwd" else ":\n"))
        for name in ("home/tester", "work"):
            os.makedirs(self.inside(name), exist_ok=True)
            os.chown(self.inside(name), USER, USER)
        kernel.mount("/dev", self.inside("dev"), None, kernel.MS_BIND | kernel.MS_REC)
        for name in ("tmp", "var/tmp"):
            kernel.mount("tmpfs", self.inside(name), "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=1777")

    def inside(self, path):
        """The host's name of a path in the root folder."""
        return os.path.join(self.path, path.lstrip("/"))

    def write(self, path, text):
        with open(self.inside(path), "w", encoding="utf-8") as file:
            file.write(text)

    def preload(self, line):
        """Makes `line` the whole /etc/ld.so.preload of the root folder; None removes that file."""
        with open(self.inside(MARK), encoding="utf-8") as file:
            ours = file.read() == self._secret
        etc = os.open(self.inside("etc"), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if not ours or os.path.samestat(os.fstat(etc), os.stat("/etc")):
                raise LabError(f"'{self.path}' is not the root folder that was made")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(PRELOAD, dir_fd=etc)
            if line:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                with open(os.open(PRELOAD, flags, 0o644, dir_fd=etc), "w", encoding="utf-8") as file:
                    file.write(line + "\n")
        finally:
            os.close(etc)

    def run(self, script, *arguments, user=0, folder="/", environment=(), timeout=3600):
        """Runs a shell script in a PID namespace of its own, which ends with everything that the script started.
        Returns the finished process. Its shell is not process 1, for which the shim does nothing."""
        rights = [] if user == 0 else ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        home = {"HOME": "/root"} if user == 0 else {"HOME": "/home/tester", "USER": "tester", "LOGNAME": "tester"}
        command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--root={self.path}", "--mount-proc=/proc",
                   f"--wd={folder}", "sh", "-c", '"$@"; exit $?', "init", *rights, "sh", "-c", script, "sh", *arguments]
        return subprocess.run(command, env={**ENVIRONMENT, **home, **dict(environment)}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False,
                              preexec_fn=_end_with_parent)

    def must(self, what, script, *arguments, **options):
        """The same; raises LabError with its last words if it fails."""
        done = self.run(script, *arguments, **options)
        if done.returncode != 0:
            sys.stderr.write(done.stdout.decode(errors="replace")[-4000:])
            raise LabError(f"{what} failed in the chroot with status {done.returncode}, as above")
        return done.stdout.decode(errors="replace")

    def install(self, build):
        install(build, self.path)
        os.makedirs(self.inside(os.path.dirname(EVERYWHERE)))
        self.write(EVERYWHERE, "")

    def add_sources(self):
        """Makes apt know source packages as well."""
        for path in glob.glob(self.inside("etc/apt/sources.list.d/*")) + [self.inside("etc/apt/sources.list")]:
            if not os.path.exists(path):
                continue
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            lines = ["Types: deb deb-src" if line.startswith("Types: ") else line for line in lines]
            lines += ["deb-src" + line[3:] for line in lines if line.startswith("deb ")]
            self.write(os.path.relpath(path, self.path), "\n".join(lines) + "\n")
        self.must("'apt-get update'", "apt-get --quiet update")
