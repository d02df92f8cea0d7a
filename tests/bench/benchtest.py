# SPDX-License-Identifier: MIT
"""Shared by the tests of bench/coldlib: the way to the modules, and a laboratory without a disk."""

import dataclasses
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.environ["HEADSTART_TEST_SOURCE"], "bench"))

from coldlib import arms, experiment, result    # noqa: E402


class Silent:
    """Progress that keeps the notes."""

    def __init__(self):
        self.notes = []

    def step(self, text):
        pass

    def note(self, text):
        self.notes.append(text)


class FakeSession:
    """Runs take the seconds they are told to; `spoil(name, number, run)` may change or refuse one."""

    SECONDS = {"nothing": 10.0, "whole": 7.5, "files": 5.0, "run": 3.5, "audit": 3.6, "relaid": 8.0,
               "warm": 0.1, "warm-run": 0.101, "warm-audit": 0.1, "relaid-warm": 0.102}

    def __init__(self, spoil=lambda name, number, run: run):
        self.spoil = spoil
        self.order = []

    def run(self, arm, timeout):
        self.order.append(arm.name)
        number = self.order.count(arm.name)
        seconds = self.SECONDS[arm.name] * (1 + 0.02 * (number * 5 % 7 - 3) / 3)
        return self.spoil(arm.name, number, experiment.Run(
            seconds, 0, stdout=b"hello\n", outputs={"/root/out.png": "digest"}, major_faults=number,
            minor_faults=(1030 if arm.image else 1000) + number, bytes_read=1000 * number, reads=10 * number, seeks=number))


def measure(names, rounds=7, spoil=lambda name, number, run: run):
    """(JSON object, session, progress) of an experiment in the laboratory."""
    session, progress = FakeSession(spoil), Silent()
    done = experiment.Experiment(session, arms.parse(names), rounds, 60, progress)
    done.run()
    about = {"device": "hdd", "command": "hello --world", "title": "hello"}
    return result.to_json(done, about, seed=1), session, progress


def spoiling(name, number=None, **changes):
    """Changes the runs of one arm (or one of them)."""
    def spoil(arm, count, run):
        return dataclasses.replace(run, **changes) if arm == name and number in (None, count) else run
    return spoil
