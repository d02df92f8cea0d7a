# SPDX-License-Identifier: MIT
"""A command that a running shell starts is the command as it would be otherwise, and nothing of the shell is read for it."""

import os
import unittest

import labtest
from lab import LabError, cold
from lab.device import Device
from lab.root import ENVIRONMENT, Root
from lab.shell import Shell

PROBE = "/probe"
DASH = "/bin/dash"
SHIM = "/lib/shim.so"
BUILT_SHIM = os.path.join(labtest.BUILD, "ldpreload", "libheadstart-preload.so")


class RunningShell(labtest.Undisturbed):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(labtest.scratch())
        cls.image = labtest.small_image(folder, DASH, *labtest.libraries(DASH))

    def setUp(self):
        self.device = self.enterContext(Device("none", self.image, slowdisk=labtest.SLOWDISK))
        self.root = Root(self.device)
        os.symlink(DASH, self.root.inside("/bin/sh"))       # absolute, so that it is of the image, not of this machine
        os.makedirs(os.path.dirname(self.root.inside(SHIM)), exist_ok=True)     # ldd may name libraries below /usr/lib
        with open(BUILT_SHIM, "rb") as built, open(self.root.inside(SHIM), "xb") as file:
            file.write(built.read())
        self.shell = Shell.copy(self.root, SHIM)

    def probe(self, *what, **options):
        return self.root.run([PROBE, *what], shell=self.shell, **options)

    def test_arguments_and_exit_status(self):
        result = self.probe("complain=two  words * $HOME 'quoted' \\", "complain=", "exit=3")
        self.assertEqual((result.stderr, result.status), (b"two  words * $HOME 'quoted' \\", 3))
        self.assertEqual(self.probe("abort").status, -9)

    def test_environment(self):
        given = {"WORD": "two  words", "LD_PRELOAD": "/no such/'library'.so", "LD_BIND_NOW": ""}
        lines = self.probe("environment", env=given).stdout.decode().splitlines()
        found = dict(line.split("=", 1) for line in lines)
        self.assertEqual(found.pop("PWD"), "/root")         # every shell's own
        self.assertEqual(found, {**ENVIRONMENT, **given})

    def test_standard_input_is_empty_and_nothing_else_is_open(self):
        alone = self.root.run([PROBE, "descriptors"]).stdout       # 0 1 2, and what this test has inherited
        self.assertEqual(self.probe("descriptors", "read=/proc/self/fd/0").stdout, alone + b"0\n")

    def test_a_command_that_is_not_there(self):
        result = self.root.run(["/no/such/program"], shell=self.shell)
        self.assertEqual((result.status, result.stdout), (127, b""))
        self.assertIn(b"/no/such/program: not found", result.stderr)

    def test_the_shell_is_not_read_from_the_image(self):
        cold.make_cold(self.device)
        self.assertGreater(self.probe("read=/data", env={"LD_PRELOAD": SHIM}).counters["bytes_read"], 1 << 20)
        self.assertEqual(set(cold.resident_files(self.device.root)), {"/data", PROBE})

    def test_the_time_and_the_counters_begin_with_the_word(self):
        with labtest.kept(self.root, "/data", PROBE):
            result = self.probe("read=/data")
        self.assertEqual((result.counters["reads"], result.major_faults), (0, 0))
        alone = self.root.run([PROBE, "read=/data"])
        self.assertLessEqual(result.minor_faults, alone.minor_faults)     # here those of a forked Python count too

    def test_a_shell_that_does_not_start(self):
        broken = Shell({**self.shell.files, "sh": b"no program"}, self.shell.loader, self.shell.preload)
        with self.assertRaisesRegex(LabError, "the shell of the image does not start: .*/sh"):
            self.root.run([PROBE], shell=broken)
        missing = Shell(self.shell.files, "no-loader", self.shell.preload)
        with self.assertRaisesRegex(LabError, "does not start: cannot run '/run/shell/no-loader' in the image"):
            self.root.run([PROBE], shell=missing)

    def test_a_static_shell_is_refused(self):
        os.unlink(self.root.inside("/bin/sh"))
        os.symlink(PROBE, self.root.inside("/bin/sh"))
        with self.assertRaisesRegex(LabError, "'/bin/sh' of the image is not dynamically linked"):
            Shell.copy(self.root, SHIM)


if __name__ == "__main__":
    labtest.need("mke2fs", "ldd")
    if not os.path.exists(DASH):
        labtest.skip(f"needs '{DASH}'")
    unittest.main()
