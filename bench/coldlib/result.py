# SPDX-License-Identifier: MIT
"""The numbers of an experiment as a JSON object, from which table and chart are made."""

from coldlib import stats

COUNTS = ("major_faults", "minor_faults", "bytes_read", "reads", "seeks", "bytes_reread")


def _of_runs(runs, field):
    return round(stats.median([getattr(run, field) for run in runs]))


def _arm(results, everything, seed):
    """The object of one arm. An arm with a failure has counts but no time."""
    entry = {
        "n": len(results.runs) - len({number for number, _ in results.failures}),
        "median_s": None, "ci95_s": None, "ratio_to_nothing": None,
        "major_faults": None, "minor_faults": None, "bytes_read": None, "reads": None, "seeks": None,
        "bytes_reread": None,
        "bytes_prefetched": results.bytes_prefetched, "bytes_used": results.bytes_used,
        "what": results.arm.what,
        "cache": "warm" if results.arm.warm else "cold",
        "refused": results.refused,
        "failures": [{"round": number, "what": what} for number, what in sorted(results.failures)],
    }
    if results.failures:
        return entry
    entry.update({
        "median_s": stats.median(results.seconds),
        "ci95_s": list(stats.median_interval(results.seconds, seed)),
        "seconds": results.seconds,
        "bytes_reread_of_runs": [run.bytes_reread for run in results.runs],
        **{field: _of_runs(results.runs, field) for field in COUNTS},
    })
    entry.update(_compared(results, everything["nothing"], "nothing", seed))
    baseline = results.arm.baseline
    entry["compared_with"] = None if everything[baseline].failures else baseline
    if entry["compared_with"] not in (None, "nothing"):
        entry.update(_compared(results, everything[baseline], baseline, seed))
    return entry


def _compared(results, baseline, name, seed):
    pairs = list(zip(results.seconds, baseline.seconds))
    interval = stats.median_interval(results.seconds, seed)
    return {
        f"ratio_to_{name}": stats.ratio(results.seconds, baseline.seconds),
        f"ratio_to_{name}_ci95": list(stats.ratio_interval(pairs, seed)),
        f"different_from_{name}":
            not stats.overlap(interval, stats.median_interval(baseline.seconds, seed)),
    }


def to_json(experiment, about, seed):
    """Returns the whole object. `about` says what was measured: {"device", "command", …}."""
    arms = {name: _arm(results, experiment.arms, seed) for name, results in experiment.arms.items()}
    return {**about, "not_compared": experiment.varies, "arms": arms}


def failed(result):
    """Whether an arm of the object has no time."""
    return any(arm["failures"] for arm in result["arms"].values())
