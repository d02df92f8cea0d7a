/* SPDX-License-Identifier: MIT */
/*
 * Fits the model of a disk.
 *
 * Reads that overlap form one busy period. A period of one small read shows latency and distance; a period of large
 * reads behind each other shows the throughput; a period of many small ones shows how many the disk serves at once.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "device/model.h"

#define SMALL       (32u << 10)  /* bytes: reads up to this count as one page's */
#define LARGE       (256u << 10) /* bytes of a period from which its throughput counts */
#define SINGLES_MIN 100u
#define FAR_MIN     32u
#define NEAR_MIN    8u
#define LARGE_MIN   3u
#define BURSTS_MIN  3u
#define BURST_READS 16u  /* a period of so many small reads is a burst */
#define SPREAD_MIN  0.05 /* of square roots of distances: with less, their slope is noise */

struct period {
	size_t first, n; /* of the sorted reads */
	uint64_t from, until;
	uint64_t bytes;
	uint64_t distance; /* from the end of the read before to its first one */
	bool contiguous, disturbed;
};

struct periods {
	struct period *items; /* owned */
	size_t n, capacity;
};

/* Numbers of which a median is taken. */
struct series {
	double *items; /* owned */
	size_t n, capacity;
};

static void series_release(struct series *series)
{
	free(series->items);
}

static void periods_release(struct periods *periods)
{
	free(periods->items);
}

static int series_add(struct series *series, double value)
{
	int r = ARRAY_RESERVE(series->items, series->capacity, series->n + 1);

	if (r == 0)
		series->items[series->n++] = value;
	return r;
}

static int compare_doubles(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorts the series. It must not be empty. */
static double quantile(struct series *series, double share)
{
	qsort(series->items, series->n, sizeof(*series->items), compare_doubles);
	return series->items[(size_t)(share * (double)(series->n - 1))];
}

static double median(struct series *series)
{
	return quantile(series, 0.5);
}

static int compare_reads(const void *a, const void *b)
{
	const struct device_read *x = a, *y = b;

	return (x->issued > y->issued) - (x->issued < y->issued);
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static struct period begin_period(const struct device_read *read, size_t first, uint64_t head)
{
	return (struct period){
		.first = first,
		.from = read->issued,
		.until = read->done,
		.distance = difference(read->offset, head),
		.contiguous = true,
	};
}

/* Divides the sorted reads into periods. The first read is left out, since nobody knows where the head was. */
static int find_periods(const struct device_read *reads, size_t n, struct periods *periods)
{
	uint64_t head = n > 0 ? reads[0].offset + reads[0].bytes : 0, busy = n > 0 ? reads[0].done : 0;

	for (size_t i = 1; i < n; i++) {
		const struct device_read *read = &reads[i];
		struct period *period = periods->n ? &periods->items[periods->n - 1] : NULL;

		if (!period || read->issued >= busy) {
			int r = ARRAY_RESERVE(periods->items, periods->capacity, periods->n + 1);

			if (r < 0)
				return r;
			period = &periods->items[periods->n++];
			*period = begin_period(read, i, head);
		} else {
			period->contiguous &= read->offset == head;
		}
		period->n++;
		period->bytes += read->bytes;
		period->disturbed |= read->other || read->issued < reads[0].done;
		busy = read->done > busy ? read->done : busy;
		period->until = busy;
		head = read->offset + read->bytes;
	}
	return 0;
}

static bool is_single(const struct period *period)
{
	return period->n == 1 && !period->disturbed && period->bytes <= SMALL;
}

static double span_us(const struct period *period)
{
	return (double)(period->until - period->from) / 1e3;
}

static uint32_t whole(double value)
{
	return value < 0 ? 0 : value > UINT32_MAX ? UINT32_MAX : (uint32_t)(value + 0.5);
}

/* One far read: the square root of its distance as a share of the disk, and what it took. */
struct way {
	double root, us;
};

static int compare_ways(const void *a, const void *b)
{
	return compare_doubles(&((const struct way *)a)->root, &((const struct way *)b)->root);
}

/*
 * The median of the slopes between points of the lower and the upper third (the abbreviated method of Theil), 0 if
 * they lie too close together.
 */
static int slope_of(struct way *ways, size_t n, double *ret)
{
	_cleanup_(series_release) struct series slopes = {0};
	size_t third = n / 3;

	*ret = 0;
	qsort(ways, n, sizeof(*ways), compare_ways);
	for (size_t i = 0; i < third; i++) {
		const struct way *low = &ways[i], *high = &ways[n - third + i];
		int r = 0;

		if (high->root - low->root >= SPREAD_MIN)
			r = series_add(&slopes, (high->us - low->us) / (high->root - low->root));
		if (r < 0)
			return r;
	}
	if (slopes.n >= third / 2 && slopes.n > 0)
		*ret = fmax(0, median(&slopes));
	return 0;
}

static int fit_ways(struct way *ways, size_t n, struct device_model *model)
{
	_cleanup_(series_release) struct series rest = {0};
	double slope;
	int r = slope_of(ways, n, &slope);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = series_add(&rest, ways[i].us - slope * ways[i].root);
	if (r < 0)
		return r;
	model->seek_us = whole(median(&rest) - model->latency_us);
	model->stroke_us = whole(slope);
	return 0;
}

/* Latency and distance, from single reads. */
static int fit_singles(const struct periods *periods, uint64_t disk_size, struct device_model *model)
{
	_cleanup_(series_release) struct series near = {0}, all = {0};
	_cleanup_free_ struct way *ways = calloc(periods->n + 1, sizeof(*ways));
	size_t n_ways = 0;
	int r = ways ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < periods->n; i++) {
		const struct period *period = &periods->items[i];

		if (!is_single(period))
			continue;
		r = series_add(&all, span_us(period));
		if (r == 0 && period->distance == 0)
			r = series_add(&near, span_us(period));
		if (period->distance >= DEVICE_FAR)
			ways[n_ways++] = (struct way){
				sqrt((double)period->distance / (double)disk_size), span_us(period)};
	}
	if (r < 0)
		return r;
	if (all.n < SINGLES_MIN || n_ways < FAR_MIN)
		return -ENODATA;
	model->samples = (uint32_t)(all.n < UINT32_MAX ? all.n : UINT32_MAX);
	model->latency_us = whole(near.n >= NEAR_MIN ? median(&near) : quantile(&all, 0.1));
	return fit_ways(ways, n_ways, model);
}

/* Throughput, from periods of large reads that follow each other on the disk. */
static int fit_throughput(const struct periods *periods, uint64_t disk_size, struct device_model *model)
{
	_cleanup_(series_release) struct series rates = {0};

	for (size_t i = 0; i < periods->n; i++) {
		const struct period *period = &periods->items[i];
		double us;
		int r = 0;

		if (period->disturbed || !period->contiguous || period->bytes < LARGE)
			continue;
		us = span_us(period) - model->latency_us -
			(double)device_model_way_us(model, period->distance, disk_size);
		if (us > 0)
			r = series_add(&rates, (double)period->bytes * 1e3 / us);
		if (r < 0)
			return r;
	}
	if (rates.n >= LARGE_MIN)
		model->bytes_per_ms = whole(median(&rates));
	return 0;
}

/* How long the reads of a period would take one after the other. */
static double one_by_one_us(const struct device_read *reads, const struct period *period, uint64_t disk_size,
	const struct device_model *model)
{
	double us = 0;

	for (size_t i = period->first; i < period->first + period->n; i++) {
		const struct device_read *before = &reads[i - 1];

		us += model->latency_us +
			(double)device_model_way_us(model,
				difference(reads[i].offset, before->offset + before->bytes), disk_size);
	}
	return us;
}

/* Depth, from bursts: how much sooner they end than their reads would one by one. The longest ones tell most. */
static int fit_depth(const struct device_read *reads, const struct periods *periods, uint64_t disk_size,
	struct device_model *model)
{
	_cleanup_(series_release) struct series shares = {0};
	size_t longest = BURST_READS;

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < periods->n; i++) {
			const struct period *period = &periods->items[i];
			int r = 0;

			if (period->disturbed || period->n < BURST_READS ||
				period->bytes / period->n > SMALL || period->until == period->from)
				continue;
			if (pass == 0)
				longest = period->n > longest ? period->n : longest;
			else if (period->n >= longest / 2)
				r = series_add(&shares,
					one_by_one_us(reads, period, disk_size, model) / span_us(period));
			if (r < 0)
				return r;
		}
	if (shares.n >= BURSTS_MIN)
		model->depth = whole(fmax(1, median(&shares)));
	return 0;
}

int device_fit(const struct device_read *reads, size_t n, uint64_t disk_size, struct device_model *ret)
{
	_cleanup_(periods_release) struct periods periods = {0};
	_cleanup_free_ struct device_read *sorted = NULL;
	struct device_model model = {0};
	int r;

	if (n < SINGLES_MIN || disk_size == 0)
		return -ENODATA;
	sorted = calloc(n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, reads, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_reads);
	r = find_periods(sorted, n, &periods);
	if (r == 0)
		r = fit_singles(&periods, disk_size, &model);
	if (r == 0)
		r = fit_throughput(&periods, disk_size, &model);
	if (r == 0)
		r = fit_depth(sorted, &periods, disk_size, &model);
	if (r == 0)
		*ret = model;
	return r;
}
