/* SPDX-License-Identifier: MIT */
/* Draws samples from a sample, with replacement, and looks at what their medians are. */
#include "measure/statistics.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define RESAMPLES 10000
#define TAIL      250 /* estimates left out at either end: 2.5 % */
#define SEED      1

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static size_t draw(uint64_t *state, size_t n)
{
	return (size_t)((next_random(state) >> 32) * n >> 32);
}

static int compare(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;

	return (first > second) - (first < second);
}

double statistics_median(const double *values, size_t n)
{
	double sorted[STATISTICS_MAX];

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare);
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The median of values drawn from the sample, or the ratio of two such medians. */
static double estimate(const double *numerators, const double *denominators, size_t n, uint64_t *random_state)
{
	double above[STATISTICS_MAX], below[STATISTICS_MAX];

	for (size_t i = 0; i < n; i++) {
		size_t drawn = draw(random_state, n);

		above[i] = numerators[drawn];
		below[i] = denominators ? denominators[drawn] : 1;
	}
	return statistics_median(above, n) / statistics_median(below, n);
}

static int bootstrap(const double *numerators, const double *denominators, size_t n, struct interval *ret)
{
	_cleanup_free_ double *estimates = malloc(RESAMPLES * sizeof(*estimates));
	uint64_t random_state = SEED;

	if (!estimates)
		return -ENOMEM;
	for (size_t i = 0; i < RESAMPLES; i++)
		estimates[i] = estimate(numerators, denominators, n, &random_state);
	qsort(estimates, RESAMPLES, sizeof(*estimates), compare);
	*ret = (struct interval){estimates[TAIL], estimates[RESAMPLES - 1 - TAIL]};
	return 0;
}

int statistics_interval(const double *values, size_t n, struct interval *ret)
{
	return bootstrap(values, NULL, n, ret);
}

int statistics_ratio_interval(
	const double *numerators, const double *denominators, size_t n, struct interval *ret)
{
	return bootstrap(numerators, denominators, n, ret);
}
