/* SPDX-License-Identifier: MIT */
/*
 * The room that is taken for an area: blocks of a donor (place/exchange.h).
 *
 * On a disk that was in use for years the free space lies in pieces, and those that the kernel allocates first need not be
 * the best. So a donor can be widened: it gets more blocks than the area needs, the area takes the longest runs of them, and
 * the rest is given back before anything is moved.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device/device.h"

struct place_area {
	int donor;                   /* owned; -1: none */
	struct device_extent *items; /* owned: where the area lies, by offset in the area, ascending */
	uint64_t *donors;            /* owned; for each of these, bytes: its offset in the donor */
	size_t n;
};

#define PLACE_NO_AREA ((struct place_area){.donor = -1})

void place_area_release(struct place_area *area);

static inline void place_area_releasep(struct place_area *area)
{
	place_area_release(area);
}

/* Free space that an area may be made of: where the blocks of a donor lie, by offset in it, ascending. */
struct place_room {
	struct device_extent *items; /* owned */
	size_t n;
};

void place_room_release(struct place_room *room);

static inline void place_room_releasep(struct place_room *room)
{
	place_room_release(room);
}

/* Leaves what a donor of `bytes` has of the room. */
void place_room_cut(struct place_room *room, uint64_t bytes);

/*
 * An area of the longest runs of the room that have `bytes` together, in the order of the disk; the shortest of them is cut.
 * *ret has no donor. Returns 0, -ENOSPC if the room has less, or -ENOMEM.
 */
int place_area_pick(const struct place_room *room, uint64_t bytes, struct place_area *ret);

/*
 * Makes an area of that many bytes on the file system of the folder, where the kernel has put them. Returns 0; -ENOSPC or
 * -EDQUOT if there is no room; or another negative errno.
 */
int place_area_open(const char *folder, uint64_t bytes, struct place_area *ret);

/*
 * Whether the disk takes what is written to the blocks of the area, and gives it back: a disk that is allocated on demand (thin
 * provisioning, an image in a full file system) may have no room for blocks that the file system calls free, and others are
 * worn out. The donor holds random bytes afterwards, on the disk. Returns 0; -EIO if other bytes come back; or another negative
 * errno: that of the failed write.
 */
int place_area_prove(const struct place_area *area);

/*
 * Lets the donor of an area of `bytes` grow, to four times as much, but leaves half of the free space to others. *ret_room is all
 * that it has then. Returns 0 or negative errno.
 */
int place_area_widen(
	const struct place_area *area, const char *folder, uint64_t bytes, struct place_room *ret_room);

/*
 * Makes the area one that place_area_pick() finds in a room that its donor has, and gives back the donor's other blocks.
 * Returns 0 or negative errno.
 */
int place_area_take(struct place_area *area, const struct place_room *room, uint64_t bytes);
