#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/learned: a row of starts that was not cold throughout is tried again as a whole."""

import types
import unittest
from unittest import mock

import labtest
from coldlib.experiment import GivenUp, NotVerified
from lab import cold

learned = labtest.program("learned")


class Rows(unittest.TestCase):
    def setUp(self):
        self.stage = object.__new__(learned.LearnedStage)
        self.stage.app = types.SimpleNamespace(name="git")
        self.stage.tell, self.stage.device, self.stage.root = mock.Mock(), None, mock.Mock()
        self.stage.options = types.SimpleNamespace(runs=1, starts=10)
        self.stage.checked, self.stage.paths = (), {"headstart": "headstart", "state": "/state"}
        self.stage.root.inside.return_value = "/nowhere"

    def row(self, starts, colds=()):
        with mock.patch.object(self.stage, "start", side_effect=starts) as start, \
                mock.patch.object(cold, "make_cold", side_effect=[*colds, *[None] * 10]):
            return self.stage.verified_row(1), start.call_count

    def test_a_good_row(self):
        row, starts = self.row([2.0, 1.0, *[1.5] * 10])
        self.assertEqual((row["nothing"], row["run"], row[4], row[10], starts), (2.0, 1.0, 1.5, 1.5, 12))

    def test_a_start_that_was_not_cold_repeats_the_row(self):
        self.assertEqual(self.row([2.0, 1.0, NotVerified("dropped"), *[1.5] * 12])[1], 15)

    def test_an_image_that_stays_in_use_ends_in_a_sentence(self):
        with self.assertRaisesRegex(GivenUp, "a row of 'git' was refused 5 times in a row: busy"):
            self.row([], colds=[cold.NotCold("busy")] * 5)


class Options(unittest.TestCase):
    def test_fewer_starts_compare_fewer(self):
        options = learned.parse_arguments(["--device", "cloud", "--starts", "4", "--inside", "overlay"])
        self.assertEqual((options.counted, options.inside), ([4], "overlay"))
        self.assertEqual(learned.parse_arguments(["--device", "cloud"]).counted, [4, 10])

    def test_too_few_starts_are_refused(self):
        with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
            learned.parse_arguments(["--device", "cloud", "--starts", "3"])


if __name__ == "__main__":
    unittest.main()
