/* SPDX-License-Identifier: MIT */
/* Medians by sorting, resamples by splitmix64 (Steele, Lea, Flood 2014). */
#include "sample.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define RESAMPLES 2000
#define TAIL      (RESAMPLES / 40) /* 2.5 % on each side */

uint64_t sample_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double sample_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* The estimate of one resample: the difference of medians, or the median where there is no baseline. */
static double resample(
	const double *values, const double *baseline, size_t n, uint64_t *state, double *scratch)
{
	double *drawn = scratch, *drawn_baseline = scratch + n;

	for (size_t i = 0; i < n; i++) {
		size_t round = sample_random(state) % n;

		drawn[i] = values[round];
		if (baseline)
			drawn_baseline[i] = baseline[round];
	}
	return sample_median(drawn, n) - (baseline ? sample_median(drawn_baseline, n) : 0);
}

int sample_difference_interval(
	const double *values, const double *baseline, size_t n, uint64_t seed, struct interval *ret)
{
	_cleanup_free_ double *scratch = calloc(n, 2 * sizeof(*scratch));
	_cleanup_free_ double *estimates = calloc(RESAMPLES, sizeof(*estimates));

	if (!scratch || !estimates)
		return -ENOMEM;
	for (size_t i = 0; i < RESAMPLES; i++)
		estimates[i] = resample(values, baseline, n, &seed, scratch);
	qsort(estimates, RESAMPLES, sizeof(*estimates), compare_doubles);
	*ret = (struct interval){estimates[TAIL], estimates[RESAMPLES - 1 - TAIL]};
	return 0;
}

int sample_median_interval(const double *values, size_t n, uint64_t seed, struct interval *ret)
{
	return sample_difference_interval(values, NULL, n, seed, ret);
}
