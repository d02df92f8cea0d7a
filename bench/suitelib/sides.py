# SPDX-License-Identifier: MIT
"""What the suites are run with, and without: the preload shim in all programs of the chroot, or the daemon outside of it."""

import contextlib
import os
import subprocess
import tempfile

from lab import LabError, headstartd, kernel, test_tool
from suitelib import plans

LINE = "/usr/$LIB/headstart/libheadstart-preload.so"


class Shim:
    name = "the shim"
    folder = "/var/tmp"     # where the chroot is made, on a disk
    empties = False         # the page cache of the machine

    def __init__(self, tree, build):
        self.tree, self.build = tree, build

    def make_plans(self, programs):
        return plans.make_plans(self.tree, self.build, programs, self._plan)

    def _plan(self, number, device):
        self.tree.must("making a plan", f'cd {plans.STATE} && ./make-profile "$1.profile" <"$1.text" && '
                       'headstart plan --device "$2" "$1.profile"', number, device)

    @contextlib.contextmanager
    def on(self):
        self.tree.preload(LINE)
        try:
            self.check(True)
            yield
        finally:
            self.tree.preload(None)

    def check(self, on):
        if ("libheadstart-preload" in self.tree.must("cat", "cat /proc/self/maps")) != on:
            raise LabError(f"the shim is {'not ' if on else ''}loaded in the chroot")

    def counts(self):
        return {}


class Daemon:
    """It knows the programs of the chroot, which are in namespaces of their own, by the names that their files have outside. They start
    cold again and again, so it also learns them."""

    name = "the daemon"
    folder = "/var/lib"     # root's plans name nothing in a folder where others can make files
    empties = True

    def __init__(self, tree, build):
        self.tree, self.build = tree, build
        kernel.mount("tmpfs", "/run", "tmpfs", 0, "mode=755")    # in the mount namespace of this benchmark
        self.place = tempfile.mkdtemp(prefix="headstartd.", dir=os.path.dirname(tree.path))
        self.config = os.path.join(self.place, "config")
        self.noted = {"programs_learnt": 0, "plans_carried_out": 0, "execs": 0}
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(f"[programs]\nallow = {tree.path}/*\n")

    def make_plans(self, programs):
        os.makedirs(headstartd.state(self.place), exist_ok=True)
        return plans.make_plans(self.tree, self.build, programs, self._plan, outside=self.tree.path)

    def _plan(self, number, device):
        base = os.path.join(self.tree.inside(plans.STATE), number)
        with open(base + ".text", encoding="utf-8") as text:
            self._must([test_tool(self.build, "make-profile"), base + ".profile"], stdin=text)
        self._must([os.path.join(self.build, "tools/headstart-tool"), "plan", "--device", device, base + ".profile"])

    def _must(self, command, **how):
        done = subprocess.run(command, env=headstartd.environment(self.place, self.config), capture_output=True, text=True, check=False, **how)
        if done.returncode != 0:
            raise LabError(f"no plan can be made: {done.stderr.strip()}")

    @contextlib.contextmanager
    def on(self):
        with headstartd.running(self.build, self.place, self.config):
            yield
            self.noted["programs_learnt"] = headstartd.note("learnt")
            for name, of_daemon in (("plans_carried_out", "started"), ("execs", "execs")):
                self.noted[name] += headstartd.note(of_daemon)

    def check(self, on):
        """Whether it runs is seen when it starts and ends."""

    def counts(self):
        return self.noted


SIDES = {"shim": Shim, "daemon": Daemon}
