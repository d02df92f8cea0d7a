#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""bench/boot: when a boot counts as one without the line, and when not; what its own tests came to."""

import unittest

import benchtest    # noqa: F401 (finds the modules)
from bootlib import own, verdict


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


class Own(unittest.TestCase):
    def test_count(self):
        counted = own.count([{"name": "a", "result": "OK"}, {"name": "b", "result": "SKIP", "stdout": "x\nSKIP: no loop\n"},
                             {"name": "c", "result": "TIMEOUT", "stderr": "slow\n"}])
        self.assertEqual((counted["passed"], counted["skipped"]), (1, [{"name": "b", "why": "SKIP: no loop"}]))
        self.assertEqual([(test["name"], test["error"]) for test in counted["failed"]], [("c", ["slow"])])


if __name__ == "__main__":
    unittest.main()
