# SPDX-License-Identifier: MIT
"""The process that owns a lab and outlives the benchmark: it removes the lab, whatever ends the benchmark.

It is forked first, and makes everything itself: folder, slow disk, loop device. It holds the read end of a pipe, and
the benchmark has the only write end. End of file there means that the benchmark is done, or dead; then the guardian
undoes what it made, in reverse order. Signals do not end it.
"""

import contextlib
import errno
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

from lab import LabError, kernel
from lab.loop import Loop

READ_AHEAD_KB = 128
UNMOUNT_TRIES = 100
SAY_THEY_ROTATE = ("hdd", "virtual")


class Guardian:
    """The benchmark's side. `lab` is {"folder": path, "loop": path}; see build()."""

    def __init__(self, model, image, seed, slowdisk):
        alive_read, self._alive = os.pipe2(os.O_CLOEXEC)
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        self._pid = os.fork()
        if self._pid == 0:
            _guard(alive_read, report_write, (model, image, seed, slowdisk))
        os.close(alive_read)
        os.close(report_write)
        with open(report_read, encoding="utf-8") as report:
            self.lab = self._understand(report.readline())

    def _understand(self, line):
        try:
            report = json.loads(line) if line else {"error": "the lab's guardian died"}
            if "error" in report:
                raise LabError(report["error"])
            return report
        except BaseException:
            self.dismiss()
            raise

    def dismiss(self):
        """Has the guardian remove everything, and returns when that is done."""
        os.close(self._alive)
        os.waitpid(self._pid, 0)


def _guard(alive, report_fd, order):
    """The guardian's whole life. Never returns."""
    status = 1
    try:
        _be_nobodys(alive, report_fd)
        with open(report_fd, "w", encoding="utf-8") as report:
            try:
                with contextlib.ExitStack() as lab:
                    print(json.dumps(build(lab, *order)), file=report, flush=True)
                    os.read(alive, 1)       # blocks until the benchmark has ended
                status = 0
            except (LabError, OSError) as error:
                print(json.dumps({"error": str(error)}), file=report, flush=True)
    except BrokenPipeError:
        pass                                # the benchmark ended before the lab was ready
    except Exception as error:              # no caller is left to catch it
        print(f"lab: taking the lab down failed: {error!r}", file=sys.stderr)
    finally:
        os._exit(status)


def _be_nobodys(*keep):
    """Begins a session of its own, ignores the terminal's signals, and keeps only standard error and the two pipes
    open."""
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda *_: None)      # unlike SIG_IGN, executed programs do not inherit it
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) not in keep:
            with contextlib.suppress(OSError):
                os.close(int(name))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)


def build(lab, model, image, seed, slowdisk):
    """Makes folder, slow disk and loop device; `lab` is the ExitStack that undoes it."""
    folder = tempfile.mkdtemp(prefix="headstart-lab.")
    lab.callback(os.rmdir, folder)
    for name in ("disk", "root"):
        os.mkdir(os.path.join(folder, name))
        lab.callback(os.rmdir, os.path.join(folder, name))
    disk = os.path.join(folder, "disk")
    lab.callback(stop, start_slowdisk(model, image, seed, slowdisk, disk), disk)
    loop = Loop(os.path.join(disk, "disk.img"))
    lab.callback(loop.detach)
    if not loop.is_direct():
        raise LabError(f"the kernel refuses direct I/O to '{loop.name}'; what its file's page cache holds would hide "
                       "the slow disk")
    loop.tune(scheduler="none", rotational=int(model in SAY_THEY_ROTATE), read_ahead_kb=READ_AHEAD_KB)
    lab.callback(unmount_root, os.path.join(folder, "root"), loop)
    return {"folder": folder, "loop": loop.path}


def start_slowdisk(model, image, seed, slowdisk, mountpoint):
    command = [slowdisk, "--model", model, "--seed", str(seed), image, mountpoint]
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: kernel.die_with_parent(signal.SIGTERM))
    except OSError as error:
        raise LabError(f"cannot run '{slowdisk}': {error.strerror}; build headstart first") from None
    if process.stdout.readline() != b"ready\n":
        said = process.communicate()[1].decode("utf-8", "replace").strip().splitlines()
        raise LabError(said[-1] if said else f"'{slowdisk}' ended with status {process.returncode}")
    process.stdout.close()
    process.stderr.close()
    return process


def stop(process, mountpoint):
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with contextlib.suppress(OSError):      # it unmounts itself, unless something killed it
        kernel.unmount(mountpoint, kernel.MNT_DETACH)


def unmount_root(root, loop):
    """Ends every process that still runs from the loop device's file system, and unmounts that."""
    for _ in range(UNMOUNT_TRIES):
        end_processes_in(root)
        try:
            kernel.unmount(root)
        except OSError as error:
            if error.errno == errno.EINVAL:     # it is not mounted (any more)
                return
            if error.errno != errno.EBUSY:
                raise
    kernel.unmount(root, kernel.MNT_DETACH)


def end_processes_in(root):
    """Kills the processes in any mount namespace whose root directory or program lies in the file system mounted at
    `root`, and waits until they have ended. Does nothing if nothing is mounted there."""
    device = os.stat(root).st_dev
    if device != os.stat(os.path.dirname(root)).st_dev:
        end_processes_on(device)


def end_processes_on(device):
    """The same by the device's number (st_dev). Spares this process."""
    while victims := [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                      if pid != os.getpid() and _lives_on(pid, device)]:
        for pid in victims:
            _kill_and_wait(pid, device)


def _lives_on(pid, device):
    for link in ("root", "exe"):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}/{link}").st_dev == device:
                return True
    return False


def _kill_and_wait(pid, device):
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return
    try:
        # Through the pidfd, after a second look: another process may have the number by now.
        if _lives_on(pid, device):
            signal.pidfd_send_signal(fd, signal.SIGKILL)
            select.select([fd], [], [])
    except ProcessLookupError:
        pass
    finally:
        os.close(fd)
