/* SPDX-License-Identifier: MIT */
#include "record/timelines/expect.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "device/batch.h"
#include "timeline/causes.h"

#define DISKS_MAX 64

/* A contiguous piece of a disk. */
struct piece {
	uint64_t place, bytes;
};

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

/* Joins pieces that touch each other, or overlap: what is read twice need not be prefetched twice. */
static size_t join_pieces(struct piece *pieces, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct piece *last = kept ? &pieces[kept - 1] : NULL;
		uint64_t end = pieces[i].place + pieces[i].bytes;

		if (!last || pieces[i].place > last->place + last->bytes)
			pieces[kept++] = pieces[i];
		else if (end > last->place + last->bytes)
			last->bytes = end - last->place;
	}
	return kept;
}

int expect_disk(const struct timeline *timeline, uint32_t disk, uint64_t disk_size,
	const struct device_model *model, uint64_t *ret_us)
{
	_cleanup_free_ struct piece *pieces = calloc(timeline->n_reads + 1, sizeof(*pieces));
	struct device_batch batch = DEVICE_BATCH_INIT;
	size_t n = 0;

	if (!pieces)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->n_reads; i++)
		if (timeline->reads[i].disk == disk)
			pieces[n++] = (struct piece){timeline->reads[i].place,
				(uint64_t)timeline->reads[i].pages * timeline->page_size};
	if (n > 1)
		qsort(pieces, n, sizeof(*pieces), compare_pieces);
	n = join_pieces(pieces, n);
	for (size_t i = 0; i < n; i++)
		device_batch_add(&batch, model, disk_size, pieces[i].place, pieces[i].bytes);
	*ret_us = device_batch_us(&batch, device_model_seeks(model));
	return 0;
}

/* The disk as it was in this trace, or before. Returns whether it is known. */
static bool know_disk(
	const struct record_disk *disk, const struct expect_knowledge *knowledge, struct device *ret)
{
	struct device_model model;

	if (knowledge->find(disk->device, ret) < 0)
		return false;
	if (device_fit(disk->reads, disk->n, ret->size, &model) == 0) {
		model.bytes_per_ms = model.bytes_per_ms ? model.bytes_per_ms : ret->model.bytes_per_ms;
		model.depth = model.depth ? model.depth : ret->model.depth;
		device_set_model(ret, &model);
	}
	return ret->measured;
}

/* Of the time that the start waited for reads, what it waited for other disks than these, and for what no disk has. */
static uint64_t waited_for_others(
	const struct timeline *timeline, const uint64_t *by_span, const uint32_t *known, size_t n_known)
{
	uint64_t waited = 0;

	for (size_t i = 0; i < timeline->n_spans; i++) {
		const struct timeline_span *span = &timeline->spans[i];
		size_t at = 0;

		if (span->state != TIMELINE_READ)
			continue;
		while (at < n_known &&
			(span->read == TIMELINE_NONE || timeline->reads[span->read].disk != known[at]))
			at++;
		if (at == n_known)
			waited += by_span[i];
	}
	return waited;
}

uint64_t expect_batch(const struct timeline *timeline, const struct record_disks *disks,
	const struct expect_knowledge *knowledge)
{
	_cleanup_(timeline_causes_release) struct timeline_causes causes = {0};
	uint32_t known[DISKS_MAX];
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < disks->n && n < DISKS_MAX; i++) {
		struct device_model model;
		struct device device;
		uint64_t us;

		if (!know_disk(&disks->items[i], knowledge, &device))
			continue;
		model = knowledge->complete(&device);
		if (expect_disk(timeline, disks->items[i].device, device.size, &model, &us) < 0)
			return 0;
		known[n++] = disks->items[i].device;
		sum += us * 1000;
	}
	if (sum == 0 || timeline_causes_find(timeline, &causes) < 0)
		return 0;
	return sum + waited_for_others(timeline, causes.by_span, known, n);
}
