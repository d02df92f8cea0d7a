/* SPDX-License-Identifier: MIT */
/*
 * How long a storage device would take for a read: pure arithmetic on a clock that the caller owns. It does no I/O,
 * never sleeps and has no clock of its own, so the same requests always get the same times.
 *
 * The figures of each model are those of docs/measurements.md, "Device models". A megabyte is 10^6 bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model {
	const char *name;
	uint64_t latency_ns;       /* of every read */
	uint64_t bytes_per_second; /* 0: no limit */
	unsigned queue;            /* reads that the device works on at once, at most MODEL_QUEUE_MAX */
	bool shared_bandwidth;     /* one link for all reads: transfers queue, only latency_ns overlaps */
	bool rotational;
	/* Rotational devices only: the cost of a read that does not continue where the last one ended. */
	uint64_t settle_ns;   /* of the head, after any move */
	uint64_t stroke_ns;   /* times the square root of the distance as a fraction of the disk */
	uint64_t rotation_ns; /* a full turn; the wait is uniform within it */
	uint64_t skip_bytes;  /* a shorter skip forward is no seek: the bytes pass under the head */
	/* Lazily loaded devices only: a block is fetched whole, from elsewhere, by the first read that touches it. */
	uint64_t block_bytes; /* 0: everything is there */
	uint64_t fetch_ns;    /* of each block; those of all reads that the device works on overlap */
};

#define MODEL_QUEUE_MAX 256

/* The model of that name, or NULL. */
const struct model *model_find(const char *name);

/* The i-th model, or NULL past the last. */
const struct model *model_at(size_t i);

/* How long the transfer of `bytes` takes, in ns. */
uint64_t model_transfer_ns(const struct model *model, uint64_t bytes);

/*
 * How long it takes to move the head from byte `head` to byte `offset` of a disk of disk_size bytes, in ns. `turn` in
 * [0, 1) is the fraction of a turn that the head must then wait.
 */
uint64_t model_seek_ns(
	const struct model *model, uint64_t head, uint64_t offset, uint64_t disk_size, double turn);

/* One device of a model: its clock, the place of its head, and its pending work. */
struct disk {
	const struct model *model;
	uint64_t size;         /* bytes */
	uint64_t head;         /* the byte after the last one read */
	uint64_t link_free_ns; /* shared_bandwidth: when the link has sent everything queued */
	uint64_t server_free_ns[MODEL_QUEUE_MAX]; /* when each place of the queue becomes free */
	uint64_t random;                          /* state of the generator */
	uint64_t *
		fetched_ns; /* owned; when each block is there, 0 if no read has touched it; NULL without blocks */
};

/* Returns 0 or -ENOMEM. */
int disk_init(struct disk *disk, const struct model *model, uint64_t size, uint64_t seed);
void disk_release(struct disk *disk);

/* Whether a read at `offset` continues where the last one ended. */
bool disk_is_contiguous(const struct disk *disk, uint64_t offset);

/*
 * Gives the disk a read that arrives at now_ns (not before any earlier one). Returns when it is complete, on the same
 * clock. The device takes reads in the order in which they arrive, each in the place of the queue that is free first.
 */
uint64_t disk_read(struct disk *disk, uint64_t now_ns, uint64_t offset, uint64_t bytes);

/* No read has touched any block, as on a new volume. */
void disk_forget(struct disk *disk);

/* Moves the head to byte `head` in no time, for a read that is not modelled. It fetches no block. */
void disk_move(struct disk *disk, uint64_t head);
