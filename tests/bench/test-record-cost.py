#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/record-cost: what it reports, and that it measures each arm."""

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

import labtest

record_cost = labtest.program("record-cost")


def measure(*words):
    return subprocess.run([sys.executable, os.path.join(labtest.BENCH, "record-cost"), "--build", labtest.BUILD, "--runs", "2", *words], check=False,
                          capture_output=True, text=True)


class RecordCost(unittest.TestCase):
    def test_ratios_are_to_the_start_alone(self):
        with mock.patch("sys.stdout"):
            found = record_cost.report({"nothing": [1.0, 2.0, 4.0], "ptrace": [1.5, 3.0, 6.0]})
        self.assertEqual((found["nothing"]["ratio"], found["ptrace"]["ratio"], found["ptrace"]["ratio_ci95"]), (1, 1.5, [1.5, 1.5]))

    def test_it_measures_both_builds(self):
        report = os.path.join(self.enterContext(labtest.scratch()), "report")
        run = measure("--before", labtest.BUILD, "--json", report, "--", "true")
        if "ptrace" in run.stderr and run.returncode != 0:
            print("partial: ptrace is refused here")
            self.skipTest(run.stderr)
        self.assertEqual(run.returncode, 0, run.stderr)
        with open(report, encoding="ascii") as file:
            arms = json.load(file)["arms"]
        self.assertEqual(set(arms), {"nothing", "ptrace", "functions", "ptrace-before", "functions-before"})
        for arm in arms.values():
            self.assertEqual(len(arm["seconds"]), 2)

    def test_a_command_that_fails_is_no_start(self):
        run = measure("--", "false")
        self.assertEqual(run.returncode, 1)
        self.assertIn("it fails", run.stderr)


if __name__ == "__main__":
    unittest.main()
