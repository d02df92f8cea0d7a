# SPDX-License-Identifier: MIT
"""The Debian of an image on a device model, booted as a container by systemd-nspawn, at native speed.

A boot begins when the container's first process is executed, which says so: before that, systemd-nspawn itself reads of the root, as no
kernel would. It has booted when the console says what the system says then (systems.py).
"""

import contextlib
import errno
import os
import re
import select
import shutil
import signal
import subprocess
import time

from lab import LabError, kernel
from lab.guardian import end_processes_in
from bootlib import systems

UNITS = "etc/systemd/system"
OURS = "usr/lib/systemd/system"
WANTS = {
    "headstart-boot.service": "sysinit.target.wants",
    "headstart-boot-record.service": "sysinit.target.wants",
    "headstart-boot-done.service": "multi-user.target.wants",
}
# The recorder stays away from containers, because it would see what their host does. Here the host is the benchmark.
HERE_TOO = ("headstart-boot-record.service.d", "[Unit]\nConditionVirtualization=\nConditionPathExists=!/run/headstart/boot-recorder\n")
RECORD_HERE_TOO = "--setenv=headstart=record"      # headstart-init looks for that, too
BEGAN = "began"     # in the build, below bench/
BEGAN_AT = re.compile(r"began at ([0-9.]+)\s")
INIT = "/sbin/init"
HEADSTART_INIT = "/usr/sbin/headstart-init"
# What the prefetcher says proves that it has read something.
SAYS_SO = ("headstart-boot.service.d", "[Service]\nStandardError=journal+console\n")
ASKED = re.compile(r"asked for ([0-9.]+) MB in ")
RELEASE_TRIES = 100
TAIL = 1500     # characters of the console that an error shows


def check_host():
    if not shutil.which("systemd-nspawn"):
        raise LabError("'systemd-nspawn' is not installed; try: apt install systemd-container")


class Console:
    """A container that boots. `text` is what its console has said."""

    def __init__(self, device, build, init=INIT, options=(), programs=()):
        bound = [f"--bind-ro={os.path.join(os.path.abspath(build), 'bench', name)}:{systems.BELOW}{name}" for name in (BEGAN, *programs)]
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=read-only", "--private-network",
                   "--resolv-conf=off", "--timezone=off", "--link-journal=no", f"--directory={device.root}", f"--bind={device.loop}",
                   *bound, *options, "--", systems.BELOW + BEGAN, init,
                   "systemd.show_status=1", "systemd.log_color=0"]
        # The filter of system calls would refuse tracing and io_uring, which a machine has.
        environment = {"PATH": os.environ.get("PATH", ""), "TERM": "dumb", "SYSTEMD_SECCOMP": "0", "SYSTEMD_LOG_LEVEL": "warning"}
        self.text = ""
        self._started = time.monotonic()
        self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, preexec_fn=lambda: kernel.die_with_parent(signal.SIGKILL))

    def await_booted(self, system, timeout):
        """Seconds from the beginning until the system had booted."""
        while not system.booted(self.text):
            left = self._started + timeout - time.monotonic()
            if left <= 0 or not self._listen(left):
                raise LabError(f"the container did not reach {system.milestone}; it said last: {self.text[-TAIL:]}")
        now, began = time.monotonic(), BEGAN_AT.search(self.text)
        if not began:
            raise LabError(f"the container did not say when it began; it said last: {self.text[-TAIL:]}")
        return now - float(began[1])

    def _listen(self, seconds):
        """Adds what the console says next; false when the container has ended, or the time."""
        output = self._process.stdout
        if not select.select([output], [], [], seconds)[0]:
            return False
        said = os.read(output.fileno(), 1 << 16).decode(errors="replace")
        self.text += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said)
        return bool(said)

    def wait_while(self, condition, timeout):
        """Whether the condition ended in time."""
        deadline = time.monotonic() + timeout
        while condition() and time.monotonic() < deadline:
            self._listen(0.2)
        return not condition()

    def await_prefetched(self, timeout):
        """Megabytes that 'headstart boot prefetch' has asked for. It says so when it has ended, or says something else."""
        self.wait_while(lambda: not ASKED.search(self.text), timeout)
        asked = ASKED.search(self.text)
        if not asked or not float(asked[1]):
            raise LabError(f"'headstart boot prefetch' has read nothing ahead; the container said last: {self.text[-TAIL:]}")
        return float(asked[1])

    def off(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


class Container:
    """The system on a Device, in whose root headstart is installed."""

    def __init__(self, device, build, state, timeout, system=systems.SERVER):
        self.device, self.build, self.timeout, self.system = device, build, timeout, system
        system.furnish(device.root)
        self.plan = os.path.join(device.root, state.lstrip("/"), "boot", "plan")
        for name, text in (HERE_TOO, SAYS_SO):
            folder = self._inside(UNITS, name)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "bench.conf"), "w", encoding="ascii") as file:
                file.write(text)
        if device.model == "lazy":      # who makes an image for such volumes knows that
            os.makedirs(self._inside("etc/headstart"), exist_ok=True)
            with open(self._inside("etc/headstart/headstart.conf"), "w", encoding="ascii") as file:
                file.write("[devices]\n/ = lazy\n")

    def _inside(self, *names):
        return os.path.join(self.device.root, *names)

    def enable(self, *units):
        """These of our units, and no others."""
        for unit, folder in WANTS.items():
            link = self._inside(UNITS, folder, unit)
            os.makedirs(os.path.dirname(link), exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(link)
            if unit in units:
                os.symlink(f"/{OURS}/{unit}", link)

    @contextlib.contextmanager
    def _booting(self, init, *options):
        console = Console(self.device, self.build, init, options, self.system.programs)
        try:
            yield console
        finally:
            console.off()
            self._end()

    def _end(self):
        """Ends what the container has left behind, and waits until its namespace has gone, too."""
        self.device.delay(False)
        for release in (self.device.unmount, self.device.forget):
            for attempt in range(RELEASE_TRIES):
                end_processes_in(self.device.root)
                try:
                    release()
                    break
                except OSError as error:
                    if error.errno != errno.EBUSY or attempt == RELEASE_TRIES - 1:
                        raise LabError("the container does not let go of its root") from None
                    time.sleep(0.1)
        self.device.mount()

    def boot(self, init=INIT, prefetches=False):
        """Boots at the device's speed. Returns the seconds that it took, and the device's counters until then. If it `prefetches`, it must
        have done so."""
        kernel.syncfs(self.device.root)
        self.device.delay(True)
        self.device.reset_counters()
        with self._booting(init, RECORD_HERE_TOO) as console:
            seconds, counters = console.await_booted(self.system, self.timeout), self.device.counters()
            if prefetches:
                console.await_prefetched(self.timeout)
            return seconds, counters

    def record(self, init=INIT):
        """Boots as the machine would, and records what is read. Returns the plan. What is recorded for an image is recorded elsewhere, on a
        disk that has its blocks: at full speed."""
        self.enable(*(unit for unit in WANTS if unit != "headstart-boot.service"))
        shutil.rmtree(os.path.dirname(self.plan), ignore_errors=True)
        self.device.delay(self.device.model != "lazy")
        with self._booting(init, RECORD_HERE_TOO) as console:
            console.await_booted(self.system, self.timeout)
            if not console.wait_while(lambda: not os.path.exists(self.plan), self.timeout):
                raise LabError(f"the container has recorded no boot; it said last: {console.text[-TAIL:]}")
        with open(self.plan, "rb") as file:
            return file.read()

    def use(self, plan):
        """This plan, of an earlier boot, is that of the next boots; None: there is none."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.plan)
        if plan:
            with open(os.open(self.plan, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(plan)
