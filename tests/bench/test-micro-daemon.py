#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/micro-daemon: what it reports, and that it measures with the daemon and without."""

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

import labtest

micro_daemon = labtest.program("micro-daemon")


def measure(report):
    """Of everything a little."""
    few = mock.patch.multiple(micro_daemon, SPAWNS=5, FILES=2, ASKED=2, TRACKED=10)
    with few, mock.patch("sys.argv", ["micro-daemon", "--rounds", "2", "--build", labtest.BUILD, "--json", report]):
        micro_daemon.main()


class MicroDaemon(unittest.TestCase):
    def test_differences_within_a_round_count(self):
        with mock.patch("sys.stdout"):
            found = micro_daemon.report([({"spawn": 110}, {"spawn": 100}), ({"spawn": 215}, {"spawn": 200}), ({"spawn": 330}, {"spawn": 310})])
        self.assertEqual((found["spawn"]["n"], found["spawn"]["more_us"], found["spawn"]["without_us"]), (3, 15, 200))

    def test_it_measures(self):
        if os.geteuid() != 0 or not labtest.can_unshare():
            print("partial: no root, or no mount namespaces")
            self.skipTest("needs root and mount namespaces")
        report = os.path.join(self.enterContext(labtest.scratch()), "report")
        run = subprocess.run([sys.executable, __file__, "measure", report], check=False, capture_output=True, text=True)
        if "tracefs" in run.stderr:
            print("partial: no tracefs")
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(report, encoding="ascii") as file:
            found = json.load(file)
        self.assertEqual(sorted(found), ["git status", "make", "spawn"])
        for one in found.values():
            self.assertEqual(one["n"], 2)
            self.assertGreater(one["without_us"], 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2])
    else:
        unittest.main()
