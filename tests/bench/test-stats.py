#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Medians, intervals against the exact distribution of the bootstrap median, overlap."""

import math
import unittest

import benchtest    # noqa: F401 (finds the modules)
from coldlib import stats


def exact_interval(values):
    """
    The 2.5 % and 97.5 % points of the bootstrap median of an odd number of distinct values: it is at most the k-th
    smallest of n if more than half of n draws are, each with probability k/n.
    """
    n, ordered = len(values), sorted(values)

    def at_most(k):
        return sum(math.comb(n, i) * (k / n) ** i * (1 - k / n) ** (n - i) for i in range(n // 2 + 1, n + 1))

    low = next(ordered[k - 1] for k in range(1, n + 1) if at_most(k) > 0.025)
    high = next(ordered[k - 1] for k in range(1, n + 1) if at_most(k) >= 0.975)
    return low, high


class Median(unittest.TestCase):
    def test_odd_and_even(self):
        self.assertEqual(stats.median([5, 1, 3]), 3)
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)


class Interval(unittest.TestCase):
    def test_is_that_of_the_exact_distribution(self):
        for n in (3, 5, 7, 9, 31):    # the probabilities of these are far enough from 2.5 % that chance does not decide
            values = [1 + (i * i) % 97 / 10 + i / 1000 for i in range(n)]
            with self.subTest(n=n):
                self.assertEqual(stats.median_interval(values), exact_interval(values))

    def test_of_equal_values_is_a_point(self):
        self.assertEqual(stats.median_interval([2.5] * 7), (2.5, 2.5))

    def test_of_one_value_is_that_value(self):
        self.assertEqual(stats.median_interval([2.5]), (2.5, 2.5))

    def test_same_seed_same_interval(self):
        values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
        self.assertEqual(stats.median_interval(values, seed=7), stats.median_interval(values, seed=7))

    def test_percentiles_cut_both_tails(self):
        self.assertEqual(stats.percentile_interval(range(1000)), (25, 974))


class Ratio(unittest.TestCase):
    def test_of_medians(self):
        self.assertEqual(stats.ratio([1, 2, 9], [4, 8, 4]), 0.5)

    def test_rounds_are_drawn_whole(self):
        pairs = [(one / 2, one) for one in (3.0, 10.0, 4.0, 7.0, 100.0)]
        self.assertEqual(stats.ratio_interval(pairs), (0.5, 0.5))

    def test_interval_holds_the_ratio(self):
        pairs = [(3.1, 9.5), (3.7, 10.0), (3.4, 10.9), (3.6, 10.2), (3.3, 9.9)]
        low, high = stats.ratio_interval(pairs)
        self.assertLess(low, stats.ratio([p[0] for p in pairs], [p[1] for p in pairs]))
        self.assertGreater(high, stats.ratio([p[0] for p in pairs], [p[1] for p in pairs]))


class Overlap(unittest.TestCase):
    def test_of_intervals(self):
        for one, other, want in (((1, 2), (3, 4), False), ((1, 3), (2, 4), True), ((1, 4), (2, 3), True),
                                 ((1, 2), (2, 3), True), ((1, 1), (1, 1), True)):
            with self.subTest(one=one, other=other):
                self.assertEqual(stats.overlap(one, other), want)
                self.assertEqual(stats.overlap(other, one), want)


if __name__ == "__main__":
    unittest.main()
