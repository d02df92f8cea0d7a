# SPDX-License-Identifier: MIT
"""The parts of bench/boot-time: which units are enabled, when a target is reached, and the rows of the result."""

import itertools
import os
import time
import types
import unittest
from unittest import mock

import labtest
from bootlib import container, systems
from lab import LabError, cold

boot_time = labtest.program("boot-time")
A_TARGET = systems.System("a", "", (), "a.target", "Reached target a.target")


class Parts(unittest.TestCase):
    def setUp(self):
        scratch = labtest.scratch()
        self.folder = scratch.__enter__()
        self.addCleanup(scratch.__exit__, None, None, None)
        self.device = types.SimpleNamespace(root=self.folder, loop="/dev/null", model="cloud")

    def says(self, script):
        """A Console of a systemd-nspawn that is this shell script."""
        fake = os.path.join(self.folder, "systemd-nspawn")
        with open(fake, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(fake, 0o755)
        with mock.patch.dict(os.environ, PATH=self.folder + ":" + os.environ["PATH"]):
            console = container.Console(self.device, "")
        self.addCleanup(console.off)
        return console

    def test_the_image_of_a_lazy_volume_says_so(self):
        settings = os.path.join(self.folder, "etc/headstart/headstart.conf")
        container.Container(self.device, "", "/var/lib/headstart", 10)
        self.assertFalse(os.path.exists(settings))
        self.device.model = "lazy"
        container.Container(self.device, "", "/var/lib/headstart", 10)
        with open(settings, encoding="ascii") as file:
            self.assertEqual(file.read(), "[devices]\n/ = lazy\n")

    def test_units_that_are_enabled(self):
        server = container.Container(self.device, "", "/var/lib/headstart", 10)

        def enabled():
            return sorted(name for folder in set(container.WANTS.values())
                          for name in os.listdir(os.path.join(self.folder, container.UNITS, folder)))

        server.enable("headstart-boot.service")
        self.assertEqual(enabled(), ["headstart-boot.service"])
        server.enable("headstart-boot-record.service", "headstart-boot-done.service")
        self.assertEqual(enabled(), ["headstart-boot-done.service", "headstart-boot-record.service"])
        server.enable()
        self.assertEqual(enabled(), [])

    def test_each_boot_has_its_own_plan(self):
        server = container.Container(self.device, "", "/state", 10)
        os.makedirs(os.path.dirname(server.plan))
        for plan in (b"one", b"two", None):
            server.use(plan)
            if plan:
                with open(server.plan, "rb") as file:
                    self.assertEqual(file.read(), plan)
                self.assertEqual(os.stat(server.plan).st_mode & 0o777, 0o600)
        self.assertFalse(os.path.exists(server.plan))

    def test_units_are_those_that_are_packaged(self):
        for unit, folder in container.WANTS.items():
            with open(os.path.join(labtest.SOURCE, "packaging", unit + ".in"), encoding="ascii") as file:
                self.assertIn("WantedBy=" + folder.removesuffix(".wants") + "\n", file.readlines())

    def test_a_target_is_reached(self):
        """The line may come in parts, and with colours."""
        console = self.says("echo 'began at 0.5'; printf 'Reached target basic.target\\nReached tar'; sleep 0.1\n"
                            "printf 'get \\033[0;1mmulti-user.target\\033[0m - Multi'; exec sleep 1000\n")
        self.assertGreater(console.await_booted(systems.SERVER, 1000), 0)

    def test_a_boot_lasts_from_the_first_process_on(self):
        now = time.monotonic()
        seconds = self.says(f"sleep 0.3; echo 'began at {now - 1000}'; echo 'Reached target a.target'; exec sleep 1000\n"
                            ).await_booted(A_TARGET, 1000)
        self.assertGreater(seconds, 1000.3)
        self.assertLess(seconds, 1000.3 + time.monotonic() - now)
        with self.assertRaisesRegex(LabError, "did not say when it began"):
            self.says("echo 'Reached target a.target'; exec sleep 1000\n").await_booted(A_TARGET, 1000)

    def test_a_container_that_ends(self):
        with self.assertRaisesRegex(LabError, "did not reach multi-user.target.*Failed to mount"):
            self.says("echo Failed to mount\n").await_booted(systems.SERVER, 1000)

    def test_a_container_that_hangs(self):
        with self.assertRaisesRegex(LabError, "did not reach"):
            self.says("exec sleep 1000\n").await_booted(systems.SERVER, 0.2)

    def test_a_desktop_has_booted_when_it_has_a_window(self):
        console = self.says("echo 'began at 0.5'; echo 'Reached target multi-user.target'; echo 'Reached target graphical.target'; sleep 0.2\n"
                            "echo '[   3.1] first-window[9]: the first window is there'; exec sleep 1000\n")
        self.assertGreater(console.await_booted(systems.DESKTOP, 1000), 0)
        self.assertIn("graphical.target", console.text)

    def test_a_desktop_is_furnished(self):
        for name in ("passwd", "group", "shadow"):
            os.makedirs(os.path.join(self.folder, "etc"), exist_ok=True)
            with open(os.path.join(self.folder, "etc", name), "w", encoding="ascii") as file:
                file.write("root:x:0:0::/root:/bin/sh\n")
        for _ in range(2):
            with mock.patch("os.chown"):
                systems.DESKTOP.furnish(self.folder)
        with open(os.path.join(self.folder, "etc/passwd"), encoding="ascii") as file:
            self.assertEqual([line.split(":")[0] for line in file], ["root", systems.USER])
        self.assertTrue(os.access(os.path.join(self.folder, "usr/local/bin/display-in-memory"), os.X_OK))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "etc/systemd/system/graphical.target.wants/first-window.service")))

    def test_what_was_prefetched_is_heard(self):
        console = self.says("echo 'Reached target multi-user.target'; echo 'headstart[40]: headstart: asked for 12.5 MB in 3 files, "
                            "0 of them changed or gone, in 1.00 s'; exec sleep 1000\n")
        self.assertEqual(console.await_prefetched(1000), 12.5)

    def test_a_boot_that_reads_nothing_ahead_is_no_boot_with_headstart(self):
        for said in ("there is no plan of a boot yet", "asked for 0.0 MB in 1 file, 1 of them changed or gone, in 0.00 s"):
            console = self.says(f"echo 'headstart: {said}'; exec sleep 1000\n")
            self.assertTrue(console.wait_while(lambda: said not in console.text, 1000))
            with self.assertRaisesRegex(LabError, "nothing ahead.*" + said):
                console.await_prefetched(0.2)

    def cold_boots(self, refusals=(), drops=(1,), times=6):
        """How often a server boots that is asked for a cold boot so many times at most."""
        server = mock.Mock()
        server.record.return_value = b"plan"
        server.boot.return_value = 2.0, {"bytes_read": 1, "reads": 1}
        with mock.patch.object(cold, "make_cold", side_effect=[*refusals, *[None] * times]), \
                mock.patch.object(cold, "drops", side_effect=itertools.chain(drops, itertools.repeat(1))), \
                mock.patch.object(boot_time.container, "Container", return_value=server), \
                mock.patch("lab.build.folders", return_value={"state": "/"}), mock.patch("lab.kernel.syncfs"):
            done = boot_time.boots(types.SimpleNamespace(build="", timeout=1, runs=1, arms=list(boot_time.ARMS), system=systems.SERVER), self.device, mock.Mock())
        self.assertEqual({arm: len(runs) for arm, runs in done.items()}, {arm: 1 for arm in boot_time.ARMS})
        return server.boot.call_count

    def test_a_boot_that_was_not_cold_is_repeated(self):
        self.assertEqual(self.cold_boots(), 5)
        self.assertEqual(self.cold_boots(refusals=[cold.NotCold("busy")]), 5)
        self.assertEqual(self.cold_boots(drops=[1, 2]), 6)

    def test_rows(self):
        counters = {"bytes_read": 100, "reads": 10}
        done = {"nothing": [(2.0, counters), (4.0, counters), (3.0, counters)],
                "headstart-boot": [(1.0, counters), (2.0, counters), (1.5, counters)]}
        nothing, ours = boot_time.rows_of(done, types.SimpleNamespace(device="hdd", seed=1, system=systems.SERVER))
        self.assertEqual((nothing["ratio_to_nothing"], nothing["median_s"], nothing["n"]), (1, 3, 3))
        self.assertEqual((ours["arm"], ours["device"], ours["ratio_to_nothing"], ours["reads"]), ("headstart-boot", "hdd", 0.5, 10))
        self.assertEqual(ours["interval"], [0.5, 0.5])


if __name__ == "__main__":
    unittest.main()
