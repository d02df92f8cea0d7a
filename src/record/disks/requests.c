/* SPDX-License-Identifier: MIT */
/* Joins the beginning and the end of each request to a disk. */
#include "record/disks/requests.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

#define SECTOR    512u
#define OPEN_MAX  4096u /* under way at once; with more, the oldest is forgotten */
#define SIZE_TOP  (UINT32_MAX / SECTOR)
#define PLACE_TOP (UINT64_MAX / SECTOR)

/* Requests that were issued and are not done yet, oldest first. */
struct under_way {
	struct record_request *items; /* owned; OPEN_MAX of them */
	size_t n;
};

static void under_way_release(struct under_way *under_way)
{
	free(under_way->items);
}

void record_disks_release(struct record_disks *disks)
{
	for (size_t i = 0; i < disks->n; i++)
		free(disks->items[i].reads);
	free(disks->items);
	*disks = (struct record_disks){0};
}

static int compare_requests(const void *a, const void *b)
{
	const struct record_request *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void take_out(struct under_way *under_way, size_t i)
{
	for (under_way->n--; i < under_way->n; i++)
		under_way->items[i] = under_way->items[i + 1];
}

static void put_in(struct under_way *under_way, const struct record_request *request)
{
	if (under_way->n == OPEN_MAX)
		take_out(under_way, 0);
	under_way->items[under_way->n++] = *request;
}

static int disk_for(struct record_disks *disks, uint32_t device, struct record_disk **ret)
{
	size_t i = 0;
	int r = 0;

	while (i < disks->n && disks->items[i].device != device)
		i++;
	if (i == disks->n)
		r = ARRAY_RESERVE(disks->items, disks->capacity, disks->n + 1);
	if (r < 0)
		return r;
	if (i == disks->n)
		disks->items[disks->n++] = (struct record_disk){.device = device};
	*ret = &disks->items[i];
	return 0;
}

static int add_read(
	struct record_disks *disks, const struct record_request *issued, const struct record_request *done)
{
	struct record_disk *disk;
	int r = disk_for(disks, issued->device, &disk);

	if (r == 0)
		r = ARRAY_RESERVE(disk->reads, disk->capacity, disk->n + 1);
	if (r < 0)
		return r;
	disk->reads[disk->n++] = (struct device_read){
		.issued = issued->time,
		.done = done->time,
		.offset = issued->sector * SECTOR,
		.bytes = issued->sectors * SECTOR,
		.other = !issued->reads,
	};
	return 0;
}

static int end_request(
	struct record_disks *disks, struct under_way *under_way, const struct record_request *done)
{
	for (size_t i = 0; i < under_way->n; i++) {
		struct record_request issued = under_way->items[i];

		if (issued.device != done->device || issued.sector != done->sector)
			continue;
		take_out(under_way, i);
		return add_read(disks, &issued, done);
	}
	return 0;
}

int requests_join(struct record_trace *trace, struct record_disks *ret)
{
	_cleanup_(under_way_release) struct under_way under_way = {
		.items = calloc(OPEN_MAX, sizeof(*under_way.items))};
	_cleanup_(record_disks_releasep) struct record_disks disks = {0};

	if (!under_way.items)
		return -ENOMEM;
	if (trace->n_requests > 1)
		qsort(trace->requests, trace->n_requests, sizeof(*trace->requests), compare_requests);
	for (size_t i = 0; i < trace->n_requests; i++) {
		const struct record_request *request = &trace->requests[i];
		int r = 0;

		if (request->sectors == 0 || request->sectors > SIZE_TOP || request->sector > PLACE_TOP)
			continue; /* a flush, or damaged */
		if (request->done)
			r = end_request(&disks, &under_way, request);
		else
			put_in(&under_way, request);
		if (r < 0)
			return r;
	}
	*ret = disks;
	disks = (struct record_disks){0};
	return 0;
}
