# SPDX-License-Identifier: MIT
"""Medians and their uncertainty: percentile bootstrap (Efron 1979), seeded, so that a table is reproducible.

It assumes nothing about the distribution: start times are skewed, and there are only a few runs.
"""

import math
import random
import statistics

RESAMPLES = 10000
CONFIDENCE = 0.95


def median(values):
    return statistics.median(values)


def percentile_interval(estimates, confidence=CONFIDENCE):
    """The middle `confidence` of the estimates, as (low, high)."""
    ordered = sorted(estimates)
    tail = (1 - confidence) / 2
    low = math.floor(tail * len(ordered))
    return ordered[low], ordered[len(ordered) - 1 - low]


def median_interval(values, seed=1, resamples=RESAMPLES):
    """(low, high): the bootstrap interval of the median of `values`, which must not be empty."""
    generator = random.Random(seed)
    return percentile_interval([median(generator.choices(values, k=len(values))) for _ in range(resamples)])


def ratio(numerators, denominators):
    return median(numerators) / median(denominators)


def ratio_interval(pairs, seed=1, resamples=RESAMPLES):
    """
    (low, high) for the ratio of two medians. `pairs` holds one (numerator, denominator) for each round. It draws
    rounds, not runs, so that a disturbance of a whole round affects both sides of the ratio.
    """
    generator = random.Random(seed)
    estimates = []
    for _ in range(resamples):
        drawn = generator.choices(pairs, k=len(pairs))
        estimates.append(ratio([pair[0] for pair in drawn], [pair[1] for pair in drawn]))
    return percentile_interval(estimates)


def overlap(one, other):
    """Whether two closed intervals overlap, so that no difference was measured."""
    return one[0] <= other[1] and other[0] <= one[1]
