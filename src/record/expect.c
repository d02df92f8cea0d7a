/* SPDX-License-Identifier: MIT */
#include "record/expect.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "device/batch.h"

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

	if (device_of_number(makedev(disk->device >> 20, disk->device & 0xfffff), ret) < 0)
		return false;
	knowledge->measured(ret);
	if (device_fit(disk->reads, disk->n, ret->size, &model) == 0) {
		model.bytes_per_ms = model.bytes_per_ms ? model.bytes_per_ms : ret->model.bytes_per_ms;
		model.depth = model.depth ? model.depth : ret->model.depth;
		device_set_model(ret, &model);
	}
	return ret->measured;
}

static bool is_read(const struct timeline *timeline, uint32_t disk)
{
	for (size_t i = 0; i < timeline->n_reads; i++)
		if (timeline->reads[i].disk == disk)
			return true;
	return false;
}

static bool waited_for_no_disk(const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->n_reads; i++)
		if (timeline->reads[i].disk == 0 && !timeline->reads[i].ahead)
			return true;
	return false;
}

uint64_t expect_batch(const struct timeline *timeline, const struct record_disks *disks,
	const struct expect_knowledge *knowledge)
{
	uint64_t sum = 0;

	if (waited_for_no_disk(timeline))
		return 0;
	for (size_t i = 0; i < disks->n; i++) {
		struct device_model model;
		struct device device;
		uint64_t us;

		if (!is_read(timeline, disks->items[i].device))
			continue;
		if (!know_disk(&disks->items[i], knowledge, &device))
			return 0;
		model = knowledge->complete(&device);
		if (expect_disk(timeline, disks->items[i].device, device.size, &model, &us) < 0)
			return 0;
		sum += us * 1000;
	}
	return sum;
}
