# SPDX-License-Identifier: MIT
"""However a benchmark ends, nothing of its lab is left; and while it lives, the host sees none of its mounts."""

import json
import os
import signal
import subprocess
import sys
import unittest

import labtest
from lab import kernel

MS_SHARED = 1 << 20

# Prints where its lab is as soon as a command runs in it, and then ends in the way that it is told.
BENCHMARK = """
import json, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from lab.device import Device
from lab.root import Root

def say(device):
    guardian = device._guardian._pid
    with open(f"/proc/{guardian}/task/{guardian}/children") as children:
        slowdisk = [int(pid) for pid in children.read().split()]
    print(json.dumps({"folder": os.path.dirname(device.root), "loop": device.loop, "slowdisk": slowdisk}), flush=True)

with Device("none", sys.argv[2], slowdisk=sys.argv[3]) as device:
    how = sys.argv[4]
    say(device)
    if how == "raise":
        raise RuntimeError("raised")
    if how != "return":
        Root(device).run(["/probe", "spawn", "write=/left", "hang"], timeout=600, measured=how == "measured")
"""


class Cleanup(labtest.Undisturbed):
    @classmethod
    def setUpClass(cls):
        cls.image = labtest.small_image(cls.enterClassContext(labtest.scratch()))

    def start(self, how):
        """A benchmark and its lab. Its standard error is also the guardian's: at its end both are gone."""
        process = subprocess.Popen(
            [sys.executable, "-c", BENCHMARK, labtest.BENCH, self.image, labtest.SLOWDISK, how],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        line = process.stdout.readline()
        self.assertTrue(line, process.stderr.read() if not line else "")
        lab = json.loads(line)
        self.assertEqual(len(lab["slowdisk"]), 1)
        return process, lab

    def assert_nothing_left(self, lab):
        self.assertEqual(labtest.mentions(lab["folder"]), [])
        for pid in lab["slowdisk"]:
            with self.assertRaises(ProcessLookupError):
                os.kill(pid, 0)

    def test_it_ends(self):
        process, lab = self.start("return")
        self.assertEqual(process.communicate(timeout=60), (b"", b""))
        self.assertEqual(process.returncode, 0)
        self.assert_nothing_left(lab)

    def test_it_fails(self):
        process, lab = self.start("raise")
        self.assertIn(b"RuntimeError", process.communicate(timeout=60)[1])
        self.assert_nothing_left(lab)

    def test_it_is_ended_by_a_signal(self):
        for how in ("measured", "unmeasured"):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with self.subTest(how=how, signal=number):
                    process, lab = self.start(how)
                    wait_for_command(process.pid)
                    process.send_signal(number)
                    process.communicate(timeout=60)
                    self.assertNotEqual(process.returncode, 0)
                    self.assert_nothing_left(lab)

    def test_the_slow_disk_dies_first(self):
        process, lab = self.start("measured")
        wait_for_command(process.pid)
        os.kill(lab["slowdisk"][0], signal.SIGKILL)
        process.kill()
        process.communicate(timeout=60)
        self.assert_nothing_left(lab)

    def test_the_host_sees_no_mount(self):
        """Also where the host's mounts are shared, as under systemd: this test's namespace plays the host."""
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount(None, "/", None, kernel.MS_REC | kernel.MS_SLAVE)
        kernel.mount(None, "/", None, kernel.MS_REC | MS_SHARED)
        before = mount_table()
        for how in ("measured", "unmeasured"):
            process, lab = self.start(how)
            wait_for_command(process.pid)
            self.assertEqual(mount_table(), before)
            process.kill()
            process.communicate(timeout=60)
            self.assertEqual(mount_table(), before)
            self.assert_nothing_left(lab)


def mount_table():
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return file.read()


def wait_for_command(pid):
    """Until a descendant of the process has become the probe."""
    while not any(program(child) == "probe" for child in descendants(pid)):
        os.sched_yield()


def descendants(pid):
    for child in children(pid):
        yield child
        yield from descendants(child)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except FileNotFoundError:
        return []


def program(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return None


if __name__ == "__main__":
    labtest.need("mke2fs", "losetup")
    unittest.main()
