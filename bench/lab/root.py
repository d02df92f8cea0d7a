# SPDX-License-Identifier: MIT
"""Running programs inside the image, timed from just before their start.

    benchmark ── keeper ── init (pid 1 of a new PID namespace) ── the command

The keeper makes the namespaces. The init mounts /proc, /tmp and so on, makes the image its root, starts the command and
waits for it; when the init ends, the kernel ends whatever the command left running. It uses pivot_root, since Firefox's
sandbox makes user namespaces, which is impossible in a mere chroot. Nothing between the call and the command executes a
program of the host: its tools are as cold as everything else. For measured=False there is no PID namespace, the keeper
is the init, and remaining processes are found by their root directory. If a shell starts the command, it runs before
the time begins (shell.py).
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time

from lab import LabError, build, cold, kernel
from lab.guardian import end_processes_in, end_processes_on

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root", "USER": "root", "LOGNAME": "root", "LANG": "C.UTF-8",
}
EVERYWHERE = "/etc/headstart/everywhere"
_FRESH = (("tmp", "mode=1777"), ("run", "mode=755"), ("root", "mode=700"), ("dev/shm", "mode=1777"))


@dataclasses.dataclass
class Result:
    seconds: float         # from just before fork and exec of the command, or the message to the shell, to its exit
    status: int            # exit status; negative: the signal that ended it
    timed_out: bool        # it was killed (and status is -9)
    major_faults: int      # in these seconds, of the command and every descendant that has been waited for
    minor_faults: int
    stdout: bytes
    stderr: bytes
    outputs: dict          # path -> SHA-256 of the file, None if it is missing or empty
    counters: dict         # Device.counters() of exactly these seconds
    caches_dropped: bool   # something emptied the machine's caches meanwhile: the seconds mean nothing


@dataclasses.dataclass(frozen=True)
class _Order:
    argv: list
    env: dict
    timeout: float
    measured: bool
    delay: bool
    outputs: tuple
    linger: float
    shell: object          # the Shell that starts it, or None
    streams: tuple         # (stdout, stderr): file descriptors


class Root:
    """The root directory of an image, on a Device."""

    def __init__(self, device):
        self.device = device
        self.path = device.root

    def inside(self, path):
        """The host's name of a path in the image."""
        return os.path.join(self.path, path.lstrip("/"))

    def install(self, build_dir):
        """Installs a build of headstart (whose prefix should be /usr) into the image, stripped as packages are. A measured
        command runs in a PID namespace of its own, where the shims start no prefetcher unless a file permits it."""
        self.device.delay(False)
        build.install(build_dir, self.path)
        os.makedirs(self.inside(os.path.dirname(EVERYWHERE)), exist_ok=True)
        with open(self.inside(EVERYWHERE), "w", encoding="ascii"):
            pass
        kernel.syncfs(self.path)

    def run(self, argv, env=None, timeout=60, measured=True, delay=None, outputs=(), linger=0, shell=None):
        """Runs a command in the image, as root, in /root, and returns its Result.

        argv[0] is looked up in the image's PATH. `env` is added to ENVIRONMENT. /tmp, /run, /root and /dev/shm begin
        empty and are discarded; everything else that is written stays until the Device is closed. The only network is
        lo, there is no terminal, and standard input is empty.

        measured=True: its own PID namespace; nothing survives the command. measured=False: the host's PID namespace and
        tracefs at /sys/kernel/tracing, as a recording needs them; what survives the command is killed. The modelled
        delay is on while the command runs if `delay` (by default as `measured`), and off before and after. `outputs`
        are paths of files, for example in /root or /tmp, that are hashed before they are discarded. Processes that the
        command leaves running have `linger` seconds to end by themselves. A Shell is running and idle when the time
        begins, then executes the command, and prints an error if it cannot; without one, LabError is raised.
        """
        streams = tuple(os.memfd_create(name) for name in ("stdout", "stderr"))
        order = _Order(list(argv), {**ENVIRONMENT, **(env or {})}, timeout, measured,
                       measured if delay is None else delay, tuple(outputs), linger, shell, streams)
        try:
            report = self._report_of(order)
            if "error" in report:
                raise LabError(report["error"])
            return Result(stdout=_content(streams[0]), stderr=_content(streams[1]), **report)
        finally:
            self.device.delay(False)
            for stream in streams:
                os.close(stream)

    def _report_of(self, order):
        """Forks the keeper and returns its report."""
        report_read, report_write = os.pipe2(os.O_CLOEXEC)
        sys.stdout.flush()
        sys.stderr.flush()
        keeper = os.fork()
        if keeper == 0:
            os.close(report_read)
            _keep(self.device, order, report_write)
        os.close(report_write)
        try:
            with open(report_read, encoding="utf-8") as report:
                text = report.read()
            return json.loads(text) if text else {"error": "the process that ran the command died"}
        except BaseException:
            os.kill(keeper, signal.SIGKILL)     # its PID namespace ends with it
            raise
        finally:
            os.waitpid(keeper, 0)
            if not order.measured:
                end_processes_in(self.path)


def _content(stream):
    return os.pread(stream, os.fstat(stream).st_size, 0)


def _keep(device, order, report_fd):
    """The keeper: makes the namespaces, and is the init or forks it. Never returns."""
    try:
        os.setsid()                             # no terminal, and no Ctrl-C from it
        kernel.die_with_parent(signal.SIGKILL)
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWNET | (kernel.CLONE_NEWPID if order.measured else 0))
        kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        if not order.measured:
            kernel.adopt_orphans()
            _be_init(device, order, report_fd)
        init = os.fork()
        if init == 0:
            kernel.die_with_parent(signal.SIGKILL)
            _be_init(device, order, report_fd)
        os.close(report_fd)
        os.waitpid(init, 0)
    except Exception as error:
        _say(report_fd, {"error": f"cannot run a command in the image: {error!r}"})
    finally:
        os._exit(0)


def _say(fd, report):
    os.write(fd, json.dumps(report).encode())


def _be_init(device, order, report_fd):
    """Runs the command and reports. Never returns: leaving ends the PID namespace.

    After pivot_root() Python must not import anything: its library is no longer there.
    """
    try:
        _furnish(device.root, order)
        kernel.pivot_root(device.root)
        _say(report_fd, _timed(device, order))
    except LabError as error:
        _say(report_fd, {"error": str(error)})
    except Exception as error:              # the benchmark would only see that this process has ended
        _say(report_fd, {"error": f"cannot run a command in the image: {error!r}"})
    finally:
        os._exit(0)


def _furnish(root, order):
    """Mounts what a system's root directory needs, in this mount namespace only."""
    quiet = kernel.MS_NOSUID | kernel.MS_NODEV
    for name in ("dev", "sys"):
        kernel.mount(f"/{name}", os.path.join(root, name), None, kernel.MS_BIND | kernel.MS_REC)
    kernel.mount("proc", os.path.join(root, "proc"), "proc", quiet | kernel.MS_NOEXEC)
    for name, options in _FRESH:
        kernel.mount("tmpfs", os.path.join(root, name), "tmpfs", quiet, options)
    if order.shell:
        order.shell.furnish(root)
    tracing = os.path.join(root, "sys/kernel/tracing")
    if not order.measured and not os.path.ismount(tracing):     # the bind mount of /sys may include it
        kernel.mount("tracefs", tracing, "tracefs", quiet | kernel.MS_NOEXEC)
    kernel.loopback_up()


def _timed(device, order):
    """Starts the command, waits for it, and measures: the fields of Result that are known here."""
    error_read, error_write = os.pipe2(os.O_CLOEXEC)
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    drops = cold.drops()
    shell = _IdleShell(order) if order.shell else None
    device.delay(order.delay)
    device.reset_counters()
    begin = time.monotonic_ns()
    command = shell.go() if shell else _fork(order.argv, order.env, (null, *order.streams), error_write)
    os.close(error_write)
    timed_out = not _ends_within(command, order.timeout)
    if timed_out:
        _end_all(order)
    status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
    seconds = (time.monotonic_ns() - begin) / 1e9
    counters = device.counters()
    device.delay(False)
    refusal = os.read(error_read, 4096).decode()
    if refusal:
        raise LabError(refusal)
    _await_all(order.linger)
    usage = _usage_of_all()
    major, minor = shell.faults if shell else (0, 0)
    return {"seconds": seconds, "status": status, "timed_out": timed_out,
            "major_faults": usage.ru_majflt - major, "minor_faults": usage.ru_minflt - minor,
            "outputs": {path: _digest(path) for path in order.outputs},
            "counters": counters, "caches_dropped": cold.drops() != drops}


class _IdleShell:
    """The process of a Shell, ready to become the command."""

    def __init__(self, order):
        self._socket, stdin = (end.detach() for end in socket.socketpair())
        argv, env = order.shell.start(order.argv, order.env)
        self._pid = _fork(argv, env, (stdin, *order.streams), order.streams[1])
        os.close(stdin)
        if not select.select([self._socket], [], [], order.timeout)[0] or not os.read(self._socket, 1):
            said = _content(order.streams[1]).decode("utf-8", "replace").strip()
            raise LabError(f"the shell of the image does not start: {said or 'it says nothing'}")
        self.faults = _faults_of(self._pid)     # (major, minor), so far

    def go(self):
        """Makes it execute the command. Returns the command's process."""
        os.write(self._socket, b"\n")
        return self._pid


def _faults_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:       # proc(5); a name in parentheses comes before the state
        fields = file.read().rpartition(b")")[2].split()
    return int(fields[9]), int(fields[7])


def _fork(argv, env, streams, error_fd):
    """Starts a program with these descriptors as its standard streams, and returns its process."""
    pid = os.fork()
    if pid == 0:
        _execute(argv, env, streams, error_fd)
    return pid


def _execute(argv, env, streams, error_fd):
    """In the program's process: becomes the program. Never returns."""
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.chdir("/root")
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):     # Python has changed them
            signal.signal(number, signal.SIG_DFL)
        os.execvpe(argv[0], argv, env)
    except OSError as error:
        os.write(error_fd, f"cannot run '{argv[0]}' in the image: {error.strerror}".encode())
    finally:
        os._exit(127)


def _ends_within(pid, timeout):
    fd = os.pidfd_open(pid)
    try:
        return bool(select.select([fd], [], [], timeout)[0])
    finally:
        os.close(fd)


def _end_all(order):
    """Kills the command and all its descendants, but not this process."""
    if order.measured:
        os.kill(-1, signal.SIGKILL)     # of this PID namespace, without its init
    else:
        end_processes_on(os.stat("/").st_dev)


def _await_all(seconds):
    """Waits until the command's orphans have ended or the time is over."""
    deadline = time.monotonic() + seconds
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < deadline:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.01)


def _usage_of_all():
    """Resource usage of the command and of those of its orphans that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return resource.getrusage(resource.RUSAGE_CHILDREN)


def _digest(path):
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    return hashlib.sha256(content).hexdigest() if content else None
