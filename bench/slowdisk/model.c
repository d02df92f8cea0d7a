/* SPDX-License-Identifier: MIT */
/* The device models and the time a read takes on each. */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_SECOND      UINT64_C(1000000000)
#define NS_PER_MICROSECOND UINT64_C(1000)
#define MEGABYTE           UINT64_C(1000000)

static const struct model models[] = {
	{
		.name = "hdd",
		.latency_ns = 100 * NS_PER_MICROSECOND,
		.bytes_per_second = 60 * MEGABYTE,
		.queue = 1,
		.rotational = true,
		.settle_ns = 2000 * NS_PER_MICROSECOND,
		.stroke_ns = 16000 * NS_PER_MICROSECOND,
		.rotation_ns = 11200 * NS_PER_MICROSECOND,
		.skip_bytes = 512 * 1024,
	},
	{
		.name = "sdcard",
		.latency_ns = 600 * NS_PER_MICROSECOND,
		.bytes_per_second = 16 * MEGABYTE,
		.queue = 1,
	},
	{
		.name = "emmc",
		.latency_ns = 250 * NS_PER_MICROSECOND,
		.bytes_per_second = 120 * MEGABYTE,
		.queue = 4,
	},
	{
		.name = "cloud",
		.latency_ns = 800 * NS_PER_MICROSECOND,
		.bytes_per_second = 125 * MEGABYTE,
		.queue = 64,
		.shared_bandwidth = true,
	},
	{
		.name = "lazy",
		.latency_ns = 800 * NS_PER_MICROSECOND,
		.bytes_per_second = 125 * MEGABYTE,
		.queue = 256,
		.shared_bandwidth = true,
		.block_bytes = 512 * 1024,
		.fetch_ns = 30000 * NS_PER_MICROSECOND,
	},
	{
		.name = "ssd",
		.latency_ns = 100 * NS_PER_MICROSECOND,
		.bytes_per_second = 520 * MEGABYTE,
		.queue = 32,
		.shared_bandwidth = true,
	},
	{
		.name = "virtual",
		.latency_ns = 100 * NS_PER_MICROSECOND,
		.bytes_per_second = 520 * MEGABYTE,
		.queue = 32,
		.shared_bandwidth = true,
	},
	{
		.name = "nvme",
		.latency_ns = 80 * NS_PER_MICROSECOND,
		.bytes_per_second = 3000 * MEGABYTE,
		.queue = 64,
		.shared_bandwidth = true,
	},
	{
		.name = "none",
		.queue = 1,
	},
};

const struct model *model_at(size_t i)
{
	return i < sizeof(models) / sizeof(models[0]) ? &models[i] : NULL;
}

const struct model *model_find(const char *name)
{
	const struct model *model;

	for (size_t i = 0; (model = model_at(i)); i++)
		if (strcmp(model->name, name) == 0)
			return model;
	return NULL;
}

uint64_t model_transfer_ns(const struct model *model, uint64_t bytes)
{
	if (model->bytes_per_second == 0)
		return 0;
	return (uint64_t)((double)bytes * (double)NS_PER_SECOND / (double)model->bytes_per_second);
}

uint64_t model_seek_ns(
	const struct model *model, uint64_t head, uint64_t offset, uint64_t disk_size, double turn)
{
	uint64_t distance = offset > head ? offset - head : head - offset;
	double stroke;

	if (!model->rotational || distance == 0)
		return 0;
	if (offset > head && distance < model->skip_bytes)
		return model_transfer_ns(model, distance);
	stroke = (double)model->stroke_ns * sqrt((double)distance / (double)disk_size);
	return model->settle_ns + (uint64_t)(stroke + (double)model->rotation_ns * turn);
}

/* SplitMix64 (Steele, Lea, Flood 2014), with any seed. Returns a number in [0, 1). */
static double disk_random(struct disk *disk)
{
	uint64_t z = disk->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return (double)(z >> 11) * 0x1p-53;
}

static uint64_t count_blocks(const struct disk *disk)
{
	uint64_t bytes = disk->model->block_bytes;

	return disk->size / bytes + (disk->size % bytes != 0);
}

int disk_init(struct disk *disk, const struct model *model, uint64_t size, uint64_t seed)
{
	*disk = (struct disk){.model = model, .size = size, .random = seed};
	if (model->block_bytes == 0)
		return 0;
	disk->fetched_ns = calloc(count_blocks(disk) + 1, sizeof(*disk->fetched_ns));
	return disk->fetched_ns ? 0 : -ENOMEM;
}

void disk_release(struct disk *disk)
{
	free(disk->fetched_ns);
	*disk = (struct disk){0};
}

void disk_forget(struct disk *disk)
{
	if (disk->fetched_ns)
		memset(disk->fetched_ns, 0, count_blocks(disk) * sizeof(*disk->fetched_ns));
}

bool disk_is_contiguous(const struct disk *disk, uint64_t offset)
{
	return offset == disk->head;
}

static uint64_t *first_free_server(struct disk *disk)
{
	uint64_t *first = disk->server_free_ns;

	for (unsigned i = 1; i < disk->model->queue; i++)
		if (disk->server_free_ns[i] < *first)
			first = &disk->server_free_ns[i];
	return first;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Fetches the blocks of a read that begins at start_ns, unless they are there or on their way. Returns when they are there. */
static uint64_t fetch(struct disk *disk, uint64_t start_ns, uint64_t offset, uint64_t bytes)
{
	uint64_t block_bytes = disk->model->block_bytes, there = start_ns;

	if (!disk->fetched_ns || bytes == 0)
		return start_ns;
	for (uint64_t block = offset / block_bytes; block <= (offset + bytes - 1) / block_bytes; block++) {
		if (disk->fetched_ns[block] == 0)
			disk->fetched_ns[block] = start_ns + disk->model->fetch_ns;
		there = later(there, disk->fetched_ns[block]);
	}
	return there;
}

uint64_t disk_read(struct disk *disk, uint64_t now_ns, uint64_t offset, uint64_t bytes)
{
	const struct model *model = disk->model;
	uint64_t *server = first_free_server(disk);
	uint64_t start = later(now_ns, *server);
	uint64_t there = fetch(disk, start, offset, bytes);
	uint64_t sent;

	start += model_seek_ns(model, disk->head, offset, disk->size, disk_random(disk));
	if (model->shared_bandwidth)
		start = later(start, disk->link_free_ns);
	sent = start + model_transfer_ns(model, bytes);
	disk->link_free_ns = sent;
	disk->head = offset + bytes;
	*server = later(sent, there) + model->latency_ns;
	return *server;
}

void disk_move(struct disk *disk, uint64_t head)
{
	disk->head = head;
}
