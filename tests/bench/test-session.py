#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/session: the script of the session, and what is made of what it prints."""

import subprocess
import unittest

import labtest

session = labtest.program("session")
PRINTED = """own_ticks: 36
children_ticks: 1200
seconds: 3600
starts: 120
memory_kib: 5632
execs: 9000
started: 80
learnt: 9
"""


class Session(unittest.TestCase):
    def setUp(self):
        self.options = session.parse_arguments(["--device", "nvme", "--minutes", "60"])

    def test_the_script_is_one(self):
        script = session.script(self.options)
        subprocess.run(["sh", "-n"], input=script, text=True, check=True)
        for app in session.PROGRAMS.values():
            self.assertIn(app.command[0], script)
        self.assertIn("begin + 3600", script)

    def test_shares_of_the_time(self):
        result = session.result_of(PRINTED, self.options)
        ticks = session.TICKS
        self.assertAlmostEqual(result["own_s"], 36 / ticks)
        self.assertAlmostEqual(result["own_percent"], 36 / ticks / 36, places=3)
        self.assertAlmostEqual(result["children_percent"], 1200 / ticks / 36, places=3)
        self.assertEqual((result["execs"], result["larger_starts"], result["plans_carried_out"]), (9000, 120, 80))
        self.assertEqual(result["memory_mib"], 5.5)


if __name__ == "__main__":
    unittest.main()
