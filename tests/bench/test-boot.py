#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/boot: when a boot counts as one without the line, and when not; when headstart was of use in the machine; what its own tests came
to."""

import copy
import os
import unittest

import benchtest    # noqa: F401 (finds the modules)
from bootlib import architecture, own, verdict
from lab import LabError


def boot(kind, units=(), processes=(), **other):
    return {"title": kind, "kind": kind, "state": "running", "units": {"ssh.service": "active", **dict(units)},
            "processes": {"systemd": False, "sshd": False, **dict(processes)}, "prefetched": 0, "preload": None, "crashes": 0,
            "complaints": [], "console_complaints": 0, "kernel": "6.1", "script": {"status": 0, "said": ""}, **other}


def shimmed(**other):
    return boot("with", processes={"systemd": True, "sshd": True}, prefetched=1, **other)


class Verdict(unittest.TestCase):
    def faults(self, *boots, before=()):
        return verdict.judge([*(before or [boot("before")]), *boots])["faults"]

    def test_as_without(self):
        self.assertEqual(self.faults(shimmed(), boot("after"), boot("mended", preload={"bytes": 0}),
                                     boot("gone", complaints=["ld.so: "]),
                                     {"title": "dead", "kind": "dies", "died": "Attempted to kill init!"}), [])

    def test_a_unit_that_failed_is_missing_or_new(self):
        for units in ({"ssh.service": "failed"}, {"other.service": "active"}):
            self.assertEqual(len(self.faults(shimmed(units=units))), 1)
        gone = shimmed()
        del gone["units"]["ssh.service"]
        self.assertEqual(self.faults(gone), ["with: ssh.service is not there, was active"])

    def test_what_varies_without_the_line_is_set_aside_and_named(self):
        before = [boot("before"), boot("before", units={"apt.service": "active"})]
        self.assertEqual(self.faults(shimmed(units={"apt.service": "activating"}), before=before), [])
        self.assertEqual(verdict.judge(before)["varying"], ["apt.service"])

    def test_other_state_daemon_crash_and_complaint(self):
        killed = shimmed()
        del killed["processes"]["sshd"]
        killed["processes"]["cron"] = True
        for wrong in (shimmed(state="degraded"), killed, shimmed(crashes=1), shimmed(complaints=["ld.so: "]),
                      shimmed(console_complaints=1)):
            self.assertEqual(len(self.faults(wrong)), 1)

    def test_the_shim_was_really_there_or_not(self):
        self.assertEqual(len(self.faults(boot("with"))), 2)
        self.assertEqual(len(self.faults(boot("after", processes={"sshd": True}))), 1)
        self.assertEqual(len(self.faults(boot("after", preload={"bytes": 0}))), 1)
        self.assertEqual(len(self.faults(boot("mended", preload={"bytes": 9}))), 1)
        self.assertEqual(len(self.faults(boot("gone"))), 1)
        self.assertEqual(len(self.faults({"title": "dead", "kind": "dies", "died": "VFS: Unable to mount root fs"})), 1)


class Use(unittest.TestCase):
    def setUp(self):
        faults = {"nothing": 200, "run": 20, "relaid": 150, "relaid, run": 10}
        self.report = {"relayout": {"done": 9, "failed": 0, "refused": 0, "relaid": 9, "restored": 9}, "recorded": {},
                       "starts": {name: {"said": "42\n", "status": 0, "major_faults": n} for name, n in faults.items()}}

    def faults(self, change):
        report = copy.deepcopy(self.report)
        change(report)
        return verdict.judge_use(report)

    def test_of_use(self):
        self.assertEqual(verdict.judge_use(self.report), [])

    def test_start_that_differs_or_fails(self):
        for name in self.report["starts"]:
            self.assertIn(f"a start differs: {name}", self.faults(lambda report: report["starts"][name].update(status=1)))
        self.assertEqual(self.faults(lambda report: report["starts"]["relaid"].update(said="")), ["a start differs: relaid"])

    def test_plan_that_is_of_no_use(self):
        for name in ("run", "relaid, run"):
            self.assertEqual(len(self.faults(lambda report: report["starts"][name].update(major_faults=51))), 1)

    def test_files_that_are_not_relaid_or_not_restored(self):
        for change in ({"relaid": 0, "restored": 0}, {"failed": 1}, {"restored": 8}):
            self.assertEqual(len(self.faults(lambda report: report["relayout"].update(change))), 1)


class Architecture(unittest.TestCase):
    def test_unknown_one(self):
        with self.assertRaisesRegex(LabError, "'riscv64'.*amd64, arm64"):
            architecture.find("riscv64")

    def test_packages_that_only_one_has(self):
        source = os.environ["HEADSTART_TEST_SOURCE"]
        amd64, arm64 = (set(own.packages(source, architecture.find(name))) for name in ("amd64", "arm64"))
        self.assertEqual(amd64 - arm64, {"libc6-i386"})
        self.assertIn("libcmocka-dev", arm64)


class Own(unittest.TestCase):
    def test_count(self):
        counted = own.count([{"name": "a", "result": "OK"}, {"name": "b", "result": "SKIP", "stdout": "x\nSKIP: no loop\n"},
                             {"name": "c", "result": "TIMEOUT", "stderr": "slow\n"}])
        self.assertEqual((counted["passed"], counted["skipped"]), (1, [{"name": "b", "why": "SKIP: no loop"}]))
        self.assertEqual([(test["name"], test["error"]) for test in counted["failed"]], [("c", ["slow"])])


if __name__ == "__main__":
    unittest.main()
