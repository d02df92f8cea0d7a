/* SPDX-License-Identifier: MIT */
/*
 * Medians and their uncertainty: percentile bootstrap (Efron 1979), as in bench/coldlib/stats.py. It assumes nothing
 * about the distribution, because start times are skewed and there are only a few runs. It is seeded, so the same
 * times always give the same interval.
 */
#pragma once

#include <stddef.h>

#define STATISTICS_MAX 100 /* values in a sample */

struct interval {
	double low, high; /* both included; 95 % of the estimates lie between them */
};

/* The median of 1 to STATISTICS_MAX values. */
double statistics_median(const double *values, size_t n);

/* The interval of that median. Returns 0 or -ENOMEM. */
int statistics_interval(const double *values, size_t n, struct interval *ret);

/*
 * The interval of the ratio of two medians, where values of the same index come from the same round. It draws rounds,
 * not values, so a disturbance of a whole round affects both sides. No denominator may be 0. Returns 0 or -ENOMEM.
 */
int statistics_ratio_interval(
	const double *numerators, const double *denominators, size_t n, struct interval *ret);
