/* SPDX-License-Identifier: MIT */
/* The state of whole mode's reader: take.c fills in the objects, whole-mode.c reads them. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "device/model.h"
#include "format/object-list.h"
#include "prefetch/whole-mode/object-parts.h"
#include "prefetch/whole-mode/whole-mode.h"

/*
 * Chunks. Rotational: all of them go out before the program's next read. Solid: the device is never idle, and a read of
 * the program waits for two chunks at most.
 */
#define IN_FLIGHT_ROTATIONAL 256
#define IN_FLIGHT_SOLID      2

/* Per cent: what worth_least() says of a cloud volume, which counts for devices that were not measured. */
#define LEAST_UNKNOWN 50

/* Bytes: the kernel silently cuts off a longer request, at read_ahead_kb. */
#define CHUNK (128u << 10)

/*
 * A device is fast if it was measured to take less than FAST_US for a chunk, or if each of its first FAST_CHUNKS cold chunks takes
 * less. By its model, the quickest device that whole mode was seen to help (cloud) takes 1800 microseconds for a chunk.
 */
#define FAST_CHUNKS 4
#define FAST_US     400 /* microseconds */

#define PARTS_MAX (OBJECT_PARTS_MAX + 16)

struct object {
	int fd;
	bool relaid; /* the one part is its hot extent */
	struct object_part parts[PARTS_MAX];
	size_t count, part;
	uint64_t done; /* bytes of parts[part] */
};

/* The last byte of a chunk that is under way. */
struct flight {
	int fd; /* -1: none */
	off_t offset;
};

struct reader {
	const struct object_list *list;
	struct object objects[OBJECT_LIST_MAX]; /* in the order of mapping */
	uint32_t count, next; /* objects taken over; the first with something left to read */
	uint32_t looked;      /* entries of the list looked at */
	struct flight flights[IN_FLIGHT_ROTATIONAL];
	uint32_t in_flight, flight; /* of them in use; the oldest */
	bool device_known, rotational;
	bool measured, guessed; /* its model is known; that it rotates is only what a hypervisor says */
	unsigned least;         /* per cent: pieces that are needed with a smaller probability are not read */
	unsigned heavy_chunks;
	bool relaid;          /* some object of this start is relaid */
	uint32_t fast_chunks; /* how many of the first cold chunks were fast */
	uint64_t budget;      /* bytes */
	const struct whole_mode_options *options;
	struct whole_mode_result result;
};

/* From now on the device counts as a rotational one of this model; NULL: it was not measured. */
void reader_become_rotational(struct reader *reader, const struct device_model *model);

/* Takes over new entries of the list. Returns whether there were any. */
bool reader_look(struct reader *reader);

/* Whether the page is in memory, as far as can be told without waiting. */
bool reader_is_resident(int fd, uint64_t offset);
