/* SPDX-License-Identifier: MIT */
/* Samples of a duration and their uncertainty: percentile bootstrap (Efron 1979) of the median, seeded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct interval {
	double low, high; /* 95 % */
};

/* The next of a sequence of random numbers; any value is a good first state. */
uint64_t sample_random(uint64_t *state);

/* Median of n > 0 values. Sorts them. */
double sample_median(double *values, size_t n);

/* *ret: the interval of the median of n > 0 values. Returns 0 or -ENOMEM. */
int sample_median_interval(const double *values, size_t n, uint64_t seed, struct interval *ret);

/*
 * *ret: the interval of median(values) - median(baseline), both of n > 0 rounds. It draws rounds, not values, so that a
 * disturbance of a whole round affects both sides. Returns 0 or -ENOMEM.
 */
int sample_difference_interval(
	const double *values, const double *baseline, size_t n, uint64_t seed, struct interval *ret);
