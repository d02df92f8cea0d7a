#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The protocol, with a laboratory without a disk: order, refusals, and that what goes wrong is never a time."""

import dataclasses
import unittest

import benchtest
from benchtest import spoiling
from coldlib import arms, experiment, recording


class Logs(unittest.TestCase):
    def test_a_prefetcher_that_said_nothing_is_noticed(self):
        log = ("audit program=/bin/a pid=2 whole=started\nobjects seen=1 read=1 asked=7\n"
               "audit program=/bin/b pid=3 whole=started\naudit program=/bin/c pid=4 plan=not-started\n")
        self.assertEqual(recording.started(log), 2)
        self.assertEqual([found["asked"] for found in recording.prefetches(log)], ["7"])

    def test_ranges_of_whole_mode_become_pages(self):
        pages = recording.Pages(4096)
        pages.add_objects(f"object offset=4096 length=5000 path={__file__}\nobject offset=0 length=1 path={__file__}\n",
                          lambda path: path)
        self.assertEqual(pages.of, {__file__: {0, 1, 2}})


class Complaints(unittest.TestCase):
    def test_a_command_that_failed_is_heard_to_the_end(self):
        self.assertEqual(experiment.complaint("headstart: no room\n", 1), "headstart: no room")
        self.assertEqual(experiment.complaint("headstart: no room\nheadstart: 'a' is a loader\n", 1),
                         "\n  headstart: no room\n  headstart: 'a' is a loader")

    def test_a_command_that_said_nothing_has_a_status(self):
        self.assertEqual(experiment.complaint(" \n", 3), "status 3")

    def test_a_long_complaint_keeps_its_end(self):
        heard = experiment.complaint("".join(f"line {i}\n" for i in range(500)), 1)
        self.assertEqual(len(heard.splitlines()), experiment.COMPLAINTS + 1)
        self.assertTrue(heard.endswith("line 499"))


class Arms(unittest.TestCase):
    def names(self, text):
        return [arm.name for arm in arms.parse(text)]

    def test_nothing_and_warm_are_always_there(self):
        self.assertEqual(self.names("run"), ["nothing", "run", "warm"])
        self.assertEqual(self.names("warm,nothing"), ["nothing", "warm"])

    def test_order_is_kept_and_doubles_are_not(self):
        self.assertEqual(self.names("audit,run,audit,warm-run"), ["nothing", "audit", "run", "warm", "warm-run"])

    def test_relaid_arms_are_measured_against_the_same_baselines(self):
        self.assertEqual(self.names("relaid-warm,relaid"), ["nothing", "relaid", "warm", "relaid-warm"])
        self.assertEqual([arms.ARMS[name].baseline for name in ("relaid-audit", "relaid-warm")], ["nothing", "warm"])
        self.assertEqual({arm.image for arm in arms.parse("run,warm-audit")}, {""})

    def test_arms_of_running_and_of_cold_shells_differ_in_nothing_else(self):
        for name, cold in (("shell-run", "cold-shell-run"), ("preload", "cold-shell-preload"), ("system", "cold-shell-system")):
            running, cold = arms.ARMS[name], arms.ARMS[cold]
            self.assertEqual((running.shell, cold.shell), (True, False))
            self.assertEqual(arms.COLD_SHELL + running.prefix, cold.prefix)
            self.assertEqual((running.environment, running.needs, running.system),
                             (cold.environment, cold.needs, cold.system))

    def test_unknown_arm_is_named(self):
        with self.assertRaisesRegex(arms.UnknownArm, "'fast'.*nothing"):
            arms.parse("run,fast")


class Order(unittest.TestCase):
    def test_arms_take_turns(self):
        _, session, _ = benchtest.measure("nothing,run", rounds=3)
        self.assertEqual(session.order, ["nothing", "run", "warm"] * 3)


class Refusals(unittest.TestCase):
    def test_a_run_that_was_not_cold_is_repeated_not_counted(self):
        refused = []

        def spoil(name, number, run):
            if name == "run" and not refused:
                refused.append(number)
                raise experiment.NotVerified("12 pages of /bin/sh are resident")
            return run
        result, session, progress = benchtest.measure("run", rounds=3, spoil=spoil)
        self.assertEqual(result["arms"]["run"]["n"], 3)
        self.assertEqual(result["arms"]["run"]["refused"], 1)
        self.assertEqual(session.order.count("run"), 4)
        self.assertIn("12 pages", progress.notes[0])

    def test_a_run_during_which_caches_were_emptied_is_repeated(self):
        result, session, progress = benchtest.measure("run", rounds=3, spoil=spoiling("run", number=2, caches_dropped=True))
        self.assertEqual((result["arms"]["run"]["n"], result["arms"]["run"]["refused"]), (3, 1))
        self.assertIn("emptied the caches", progress.notes[0])

    def test_an_arm_that_is_never_cold_ends_it(self):
        def spoil(name, number, run):
            if name == "run":
                raise experiment.NotVerified("12 pages of /bin/sh are resident")
            return run
        with self.assertRaisesRegex(experiment.GivenUp, "'run' was refused 5 times.*12 pages"):
            benchtest.measure("run", spoil=spoil)


class Failures(unittest.TestCase):
    def no_time(self, spoil, words, rounds=7):
        result, session, _ = benchtest.measure("run,audit", rounds=rounds, spoil=spoil)
        bad, good = result["arms"]["run"], result["arms"]["audit"]
        self.assertIsNone(bad["median_s"])
        self.assertIsNone(bad["ci95_s"])
        self.assertIsNone(bad["ratio_to_nothing"])
        self.assertNotIn("seconds", bad)
        self.assertIn(words, bad["failures"][0]["what"])
        self.assertIsNotNone(good["median_s"])
        self.assertEqual(good["failures"], [])
        return result, session

    def test_exit_status(self):
        _, session = self.no_time(spoiling("run", number=2, status=3), "exit status 3")
        self.assertEqual(session.order.count("run"), 2)

    def test_signal(self):
        self.no_time(spoiling("run", number=1, status=-11), "signal 11")

    def test_hang(self):
        self.no_time(spoiling("run", number=1, status=-9, timed_out=True), "60 s")

    def test_other_stdout(self):
        self.no_time(spoiling("run", number=4, stdout=b"goodbye\n"), "stdout")

    def test_other_stderr(self):
        self.no_time(spoiling("run", stderr=b"headstart: oops\n"), "stderr")

    def test_other_output_file(self):
        self.no_time(spoiling("run", number=7, outputs={"/root/out.png": "another"}), "content of /root/out.png")

    def test_missing_output_file(self):
        self.no_time(spoiling("run", number=7, outputs={"/root/out.png": None}), "did not write /root/out.png")

    def test_a_command_that_fails_by_itself_ends_it(self):
        with self.assertRaisesRegex(experiment.GivenUp, "exit status 5 without headstart too: no such thing"):
            benchtest.measure("run", spoil=spoiling("nothing", status=5, stderr=b"no such thing\n"))

    def test_what_nothing_does_not_repeat_is_not_compared(self):
        def spoil(name, number, run):
            return dataclasses.replace(run, stderr=f"pid {len(name) * 100 + number}".encode())
        result, _, _ = benchtest.measure("run", spoil=spoil)
        self.assertEqual(result["not_compared"], ["stderr"])
        self.assertEqual(result["arms"]["run"]["failures"], [])


if __name__ == "__main__":
    unittest.main()
