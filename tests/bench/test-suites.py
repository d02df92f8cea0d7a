#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/suites: what counts as the same, as flaky and as different; how results are read; which folder is not written to."""

import os
import tempfile
import unittest

import benchtest    # noqa: F401 (finds the modules)
from lab import LabError
from suitelib import chroot, compare, projects


class Compare(unittest.TestCase):
    def report(self, without, with_, again_without=None, again_with=None):
        """`again_*`: outcomes of the one test "u: t" in the runs that follow."""
        later = {False: iter(again_without or []), True: iter(again_with or [])}
        self.asked = []

        def again(shim, units):
            self.asked.append((shim, units))
            return {"u": {"t": next(later[shim])}}

        return compare.compare({"u": {"t": without, "other": "ok"}}, {"u": {"t": with_, "other": "ok"}}, again)

    def test_same_is_not_tried_again(self):
        report = self.report("ok", "ok")
        self.assertEqual((report["tests"], report["same"], report["flaky"], report["differs"]), (2, 2, [], []))
        self.assertEqual(self.asked, [])

    def test_what_varies_without_the_shim_is_flaky(self):
        report = self.report("ok", "bad", ["ok", "bad"], ["ok", "ok"])
        self.assertEqual(report["flaky"], [{"test": "u: t", "without": ["ok", "ok", "bad"], "with": ["bad", "ok", "ok"]}])
        self.assertEqual((report["same"], report["differs"]), (1, []))

    def test_one_difference_is_one(self):
        report = self.report("ok", "bad", ["ok"] * 3, ["ok"] * 3)
        self.assertEqual([found["test"] for found in report["differs"]], ["u: t"])
        self.assertEqual(len(self.asked), 6)

    def test_a_missing_test_and_a_missing_unit_differ(self):
        self.assertEqual(compare.differing({"u": {"t": "ok"}}, {"u": {}}), {"u": {"t"}})
        self.assertEqual(compare.differing({}, {"u": {}}), {"u": set()})
        report = compare.compare({"u": {"t": "ok"}}, {}, lambda shim, units: {} if shim else {"u": {"t": "ok"}})
        self.assertEqual((report["same"], len(report["differs"])), (0, 1))


class Parse(unittest.TestCase):
    def parsed(self, parse, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return parse(folder)

    def test_automake(self):
        text = ":test-result: XFAIL\n:global-test-result: XFAIL\n:recheck: no\n"
        self.assertEqual(self.parsed(projects.parse_automake, "tests/one.trs", text), {"tests/one.log": {"1": "XFAIL"}})

    def test_tap(self):
        text = "ok 1 - one\nnot ok 2 - two # TODO known breakage\nok 3 # skip three (missing X)\nnoise\nexit status 1\n"
        self.assertEqual(self.parsed(projects.parse_tap, "t1.sh.tap", text),
                         {"t1.sh": {"1 - one": "ok", "2 - two": "not ok todo", "3": "ok skip", "exit status": "1"}})

    def test_output(self):
        self.assertEqual(self.parsed(projects.parse_output, "run-a.out", "exit status 0\n"), {"run-a": {"output": "ok"}})
        self.assertNotEqual(self.parsed(projects.parse_output, "run-a.out", "1c1\nexit status 0\n"),
                            {"run-a": {"output": "ok"}})

    def test_junit(self):
        text = '<a><testcase name="x"/><testcase name="y"><failure/><system-out/></testcase></a>'
        self.assertEqual(self.parsed(projects.parse_junit, "test_a.xml", text), {"test_a": {"x": "ok", "y": "failure"}})


class Preload(unittest.TestCase):
    def chroot(self, path):
        tree = chroot.Chroot.__new__(chroot.Chroot)
        tree.path, tree._secret = path, "known to the maker"
        return tree

    def test_only_where_the_mark_is(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "etc"))
            tree = self.chroot(folder)
            tree.write(chroot.MARK, "somebody else's")
            self.assertRaises(LabError, tree.preload, "line")
            self.assertEqual(os.listdir(tree.inside("etc")), [])
            tree.write(chroot.MARK, tree._secret)
            tree.preload("line")
            with open(tree.inside("etc/ld.so.preload"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "line\n")
            tree.preload(None)
            self.assertEqual(os.listdir(tree.inside("etc")), [])

    def test_never_through_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "real"))
            os.symlink("real", os.path.join(folder, "etc"))
            tree = self.chroot(folder)
            tree.write(chroot.MARK, tree._secret)
            self.assertRaises(OSError, tree.preload, "line")
            self.assertEqual(os.listdir(tree.inside("real")), [])


if __name__ == "__main__":
    unittest.main()
