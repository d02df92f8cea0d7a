#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/busy: what it makes of what tests/run prints, and what it leaves behind."""

import json
import os
import shutil
import subprocess
import unittest
from unittest import mock

import labtest

busy = labtest.program("busy")
LOG = """1/2 headstart:unit / base-io    FAIL   0.02s
failed: case_of_a_test_that_printed_this
346/349 headstart:behaviour / daemon    OK   2.00s
failed: base-io
failed: record: case_one, case_two
not in tests/expected-skips: trace: no tracefs
repeated: preload-waits, 2 tries
repeated: record, 1 try
346 passed, 3 failed, 0 skipped
"""


class Log(unittest.TestCase):
    def read(self, text):
        folder = self.enterContext(labtest.scratch())
        path = os.path.join(folder, "log")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return busy.read_log(path)

    def test_what_failed_or_was_repeated_is_named(self):
        self.assertEqual(self.read(LOG), {"passed": 346, "failed": 3, "skipped": 0, "failures": [
            "failed: base-io", "failed: record: case_one, case_two", "not in tests/expected-skips: trace: no tracefs"],
            "repeated": ["preload-waits, 2 tries", "record, 1 try"]})

    def test_a_run_that_did_not_end_has_no_counts(self):
        for text in ("", "\n", "1/2 headstart:unit / base-io    OK   0.02s\n", "3 passed, many failed, 0 skipped\n"):
            self.assertEqual(self.read(text), {"passed": None, "failed": None, "skipped": None, "failures": [],
                                               "repeated": []})


class Runs(unittest.TestCase):
    """With a repository of its own, whose tests/run is a script."""

    def setUp(self):
        if os.geteuid() != 0 or not shutil.which("git"):
            print("partial: no root, or no git")
            self.skipTest("needs root and git")
        self.folder = self.enterContext(labtest.scratch())
        self.source = os.path.join(self.folder, "source")
        self.report = os.path.join(self.folder, "report")

    def commit_script(self, script):
        os.makedirs(os.path.join(self.source, "tests"), exist_ok=True)
        path = os.path.join(self.source, "tests/run")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(path, 0o755)
        who = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        for words in (("init", "--quiet"), ("add", "tests/run"), (*who, "commit", "--quiet", "-m", "test")):
            subprocess.run(["git", "-C", self.source, *words], check=True)

    def run_script(self, script, *options):
        self.commit_script(script)
        return self.run_busy(*options)

    def run_busy(self, *options):
        words = ["busy", "--beside", "nothing", "--folder", self.folder, "--json", self.report, *options]
        with mock.patch("sys.argv", words), mock.patch.object(busy, "SOURCE", self.source):
            status = busy.main()
        self.assertEqual(sorted(set(os.listdir(self.folder)) - {"report", "logs"}), ["source"], "something is left behind")
        with open(self.report, encoding="utf-8") as file:
            return status, json.load(file)

    def test_each_run_has_a_clone_of_its_own_that_others_cannot_enter(self):
        status, report = self.run_script("""cd "$(dirname "$0")"
            [ "$CI" = true ] && [ ! -e touched ] && touch touched && [ "$(stat -c %a ../../..)" = 700 ] || exit 1
            echo "5 passed, 0 failed, 1 skipped"
            """, "--runs", "3", "--at-once", "2")
        self.assertEqual(status, 0, report)
        self.assertEqual([(run["run"], run["passed"], run["skipped"]) for run in report["runs"]], [(1, 5, 1), (2, 5, 1), (3, 5, 1)])

    def test_a_failure_is_told_and_kept(self):
        logs = os.path.join(self.folder, "logs")
        os.mkdir(logs)
        status, report = self.run_script("echo failed: one; echo '1 passed, 1 failed, 0 skipped'; exit 1", "--runs", "1", "--logs", logs)
        self.assertEqual((status, report["runs"][0]["failures"]), (1, ["failed: one"]))
        with open(os.path.join(logs, "run-1.log"), encoding="utf-8") as file:
            self.assertIn("failed: one", file.read())

    def test_the_report_of_an_interrupted_row_has_what_had_ended(self):
        status, _ = self.run_script("""cd "$(dirname "$0")"
            ! mkdir ../../../first || { echo "1 passed, 0 failed, 0 skipped"; exit; }
            until [ -s ../../../../report ]; do sleep 0.05; done
            kill -INT $PPID
            sleep 60
            """, "--runs", "3")
        self.assertEqual(status, 130)
        with open(self.report, encoding="utf-8") as file:
            self.assertEqual([run["passed"] for run in json.load(file)["runs"]], [1])
        self.assertEqual(sorted(os.listdir(self.folder)), ["report", "source"], "something is left behind")

    def test_a_row_goes_on_with_the_commit_that_it_began_with(self):
        self.run_script("echo '1 passed, 0 failed, 0 skipped'", "--runs", "2")
        self.commit_script("exit 1")
        status, report = self.run_busy("--runs", "3", "--resume")
        self.assertEqual((status, [(run["run"], run["passed"]) for run in report["runs"]]), (0, [(1, 1), (2, 1), (3, 1)]))
        with mock.patch("sys.stderr"):
            self.assertEqual(busy.main(["--beside", "drops", "--json", self.report, "--resume"]), 1)

    def test_a_run_that_says_nothing_has_failed(self):
        status, report = self.run_script("exit 1", "--runs", "1")
        self.assertEqual((status, report["runs"][0]["passed"]), (1, None))


if __name__ == "__main__":
    unittest.main()
