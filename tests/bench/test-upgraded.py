# SPDX-License-Identifier: MIT
"""The parts of bench/upgraded: which two builds are compared, and the rows of the result."""

import types
import unittest
from unittest import mock

import labtest

upgraded = labtest.program("upgraded")

OFFERS = """\
       git | 1:2.39.5-0+deb12u9 | http://deb.example.org bookworm/main amd64 Packages
       git | 1:2.39.5-0+deb12u10 | http://deb.example.org bookworm/main amd64 Packages
       git | 1:2.39.2-1 | http://deb.example.org bookworm/main amd64 Packages
       git | 1:2.40.0-1 | http://deb.example.org bookworm/main Sources
   git-man | 1:2.39.5-0+deb12u9 | http://deb.example.org bookworm/main amd64 Packages
   git-man | 1:2.39.5-0+deb12u10 | http://deb.example.org bookworm/main amd64 Packages
   git-man | 1:2.39.2-1 | http://deb.example.org bookworm/main amd64 Packages
   git-man | 1:2.40.0-1 | http://deb.example.org bookworm/main amd64 Packages
"""


class Parts(unittest.TestCase):
    def test_the_two_newest_builds_that_all_packages_have(self):
        with mock.patch.object(upgraded, "run", return_value=OFFERS):
            self.assertEqual(upgraded.two_versions(["git", "git-man"]), ["1:2.39.5-0+deb12u9", "1:2.39.5-0+deb12u10"])
            self.assertEqual(upgraded.two_versions(["git-man"]), ["1:2.39.5-0+deb12u10", "1:2.40.0-1"])
        with mock.patch.object(upgraded, "run", return_value=OFFERS.splitlines()[0]):
            self.assertIsNone(upgraded.two_versions(["git"]))

    def test_packages_of_a_source(self):
        with mock.patch.object(upgraded, "run", return_value="git git 1:2\nlibgit2 libgit2-1.5 1\ngit git-man 1:2\ngit git-lfs 3\n"):
            self.assertEqual(upgraded.installed_of("/", "git"), ["git", "git-man"])
            self.assertEqual(upgraded.installed_of("/", "emacs"), [])

    def test_a_program_that_is_not_installed_has_no_builds(self):
        self.assertIsNone(upgraded.two_versions([]))

    def test_a_command_that_fails(self):
        with self.assertRaisesRegex(upgraded.experiment.GivenUp, "^'sh -c' failed: no network$"):
            upgraded.run("sh", "-c", "echo no network >&2; exit 100")

    def test_the_row_of_a_start(self):
        def runs(nothing, run):
            return {name: types.SimpleNamespace(seconds=[seconds] * 3, failures=[])
                    for name, seconds in (("nothing", nothing), ("run", run))}
        start = types.SimpleNamespace(program="git", name="log")
        row = upgraded.row_of(start, ["1", "2"], runs(2, 1), runs(2, 1.2), types.SimpleNamespace(device="hdd", runs=3, seed=1))
        self.assertEqual(row["ratio_to_nothing"], [0.5, 0.6])
        self.assertEqual(row["intervals"], [[0.5, 0.5], [0.6, 0.6]])
        self.assertEqual((row["share_of_gain"], row["nothing_s"], row["failures"]), (0.8, [2, 2], []))

    def test_every_start_has_a_source(self):
        options = upgraded.parse_arguments(["--device", "cloud"])
        self.assertEqual(sorted(start.program for start in options.starts), sorted(upgraded.SOURCES))


if __name__ == "__main__":
    unittest.main()
