# SPDX-License-Identifier: MIT
"""Compares test by test: the same without the shim and with it, flaky, or different.

Tests that differ are repeated, up to three times on each side. A test whose outcome also differs between two runs
without the shim is flaky; every other difference counts, even if it occurs only once.
"""

import collections

TRIES = 3


def differing(without, with_):
    """The {unit: tests} whose outcomes differ; both arguments are {unit: {test: outcome}}."""
    found = {}
    for unit in without.keys() | with_.keys():
        one, other = without.get(unit, {}), with_.get(unit, {})
        tests = {test for test in one.keys() | other.keys() if one.get(test) != other.get(test)}
        if tests or (unit in without) != (unit in with_):
            found[unit] = tests
    return found


def compare(without, with_, again):
    """The report on a project. `again(shim, units)` repeats units of its suite, and returns results like the first two
    arguments."""
    sides = {False: [without], True: [with_]}
    found = differing(without, with_)
    for _ in range(TRIES if found else 0):
        for shim, runs in sides.items():
            runs.append(again(shim, sorted(found)))
        if all(_varies(sides[False], unit, test) for unit, tests in found.items() for test in tests):
            break
    report = {"tests": sum(map(len, without.values())), "flaky": [], "differs": []}
    for unit, tests in sorted(found.items()):
        for test in sorted(tests) or [None]:
            outcomes = {"test": f"{unit}: {test}"}
            for shim, runs in sides.items():
                outcomes["with" if shim else "without"] = [run.get(unit, {}).get(test) for run in runs]
            report["flaky" if _varies(sides[False], unit, test) else "differs"].append(outcomes)
    report["same"] = report["tests"] - sum(outcomes["without"][0] is not None for kind in ("flaky", "differs")
                                           for outcomes in report[kind])
    report["outcomes"] = dict(collections.Counter(outcome.split("\n")[0][:40] for tests in without.values()
                                                  for outcome in tests.values()).most_common(8))
    return report


def _varies(runs, unit, test):
    return len({run.get(unit, {}).get(test) for run in runs}) > 1
