# SPDX-License-Identifier: MIT
"""A virtual machine, booted with words on its kernel's command line, and its serial console.

All waiting is for text on the console or for the machine's end, each with a deadline. inside.py, which runs in the
booted machine, finds a shell script to run on the second disk, and reports on a second serial port.
"""

import contextlib
import json
import os
import re
import select
import shutil
import signal
import subprocess
import time

from lab import LabError, kernel

ROOT = "root=/dev/vda ro console={} report={}"        # the last word is for inside.py
BOOT_SECONDS = 300
TAIL = 1500             # characters of the console that an error shows
SECTOR = 512


def check_qemu(architecture):
    if not shutil.which(architecture.qemu):
        raise LabError(f"'{architecture.qemu}' is not installed; try: apt-get install --no-install-recommends "
                       f"{architecture.qemu_package}")


class Console:
    """A booted machine. `text` is everything that the console has said."""

    def __init__(self, command):
        self.text = ""
        self._read = 0          # how far expect() has read
        self._qemu = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      preexec_fn=lambda: kernel.die_with_parent(signal.SIGKILL))

    def expect(self, pattern, seconds=BOOT_SECONDS):
        """Waits for the pattern after the last one. Returns the text between the two."""
        deadline = time.monotonic() + seconds
        while not (found := re.search(pattern, self.text[self._read:])):
            if not self._listen(deadline):
                raise LabError(f"the machine never said '{pattern}', but last: {self.text[-TAIL:]}")
        passed = self.text[self._read:self._read + found.end()]
        self._read += found.end()
        return passed

    def send(self, line):
        self._qemu.stdin.write(line.encode() + b"\n")
        self._qemu.stdin.flush()

    def wait(self, seconds=BOOT_SECONDS):
        """Waits until the machine is off."""
        deadline = time.monotonic() + seconds
        while self._listen(deadline):
            pass
        try:
            self._qemu.wait(max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise LabError(f"the machine did not end; it said last: {self.text[-TAIL:]}") from None

    def _listen(self, deadline):
        """Adds what the console says next to the text; false when the machine has ended, or the time."""
        output = self._qemu.stdout
        if not select.select([output], [], [], max(0, deadline - time.monotonic()))[0]:
            return False
        said = os.read(output.fileno(), 1 << 16).decode(errors="replace")
        self.text += said.replace("\r", "")
        return bool(said)

    def off(self):
        self._qemu.kill()
        self._qemu.wait()
        for end in (self._qemu.stdin, self._qemu.stdout):
            with contextlib.suppress(BrokenPipeError):
                end.close()


class Machine:
    def __init__(self, folder, disk, memory=1024):
        """`disk` is an image as disk.make() makes it; `folder` is for files that go into the machine and come out of
        it."""
        self.disk, self.memory, self.folder = disk, memory, folder
        self.boots = 0

    @contextlib.contextmanager
    def boot(self, words="", script="", disks=()):
        """A Console; the machine is off at the end."""
        self.boots += 1
        job, self._report = (os.path.join(self.folder, name) for name in ("job", "report"))
        with open(job, "wb") as file:
            file.write(script.encode() + b"\n" * (SECTOR - len(script.encode()) % SECTOR))
        drives = [argument for path in (self.disk.path, job, *disks) for argument in
                  ("-drive", f"file={path},if=virtio,format=raw,cache=unsafe")]
        kind = self.disk.architecture
        console = Console([
            kind.qemu, *kind.processor(),
            "-m", str(self.memory), "-nodefaults", "-no-reboot", "-display", "none", "-device", "virtio-rng-pci",
            "-serial", "stdio", *(argument.format(self._report) for argument in kind.report_port), *drives,
            "-kernel", self.disk.kernel, "-initrd", self.disk.initrd,
            "-append", f"{ROOT.format(kind.console, kind.report_device)} {words}"])
        try:
            yield console
        finally:
            console.off()

    def copy(self, inside, path):
        """Copies a file from the disk of the machine, which is off."""
        with open(path, "wb") as file:
            subprocess.run(["debugfs", "-R", f"cat {inside}", self.disk.path], stdout=file, stderr=subprocess.DEVNULL, check=True)
        if os.path.getsize(path) == 0:
            raise LabError(f"the machine's disk has no '{inside}'")

    def run(self, script="", disks=(), seconds=BOOT_SECONDS, words=""):
        """Boots, runs a shell script when everything is up, and powers off. Returns report()."""
        with self.boot(words, script, disks) as console:
            console.wait(seconds)
        return self.report(console)

    def report(self, console):
        """The report of inside.py on the boot that has ended, with the complaints on the console."""
        with open(self._report, encoding="utf-8", errors="replace") as file:
            said = file.read()
        try:
            report = json.loads(said)
        except ValueError:
            raise LabError(f"the machine did not report: {said[-TAIL:]}; its console: {console.text[-TAIL:]}") from None
        report["console_complaints"] = len(re.findall(r"ld\.so: ", console.text))
        return report
