/* SPDX-License-Identifier: MIT */
/* A set of the sectors of a disk: a bit for each 512 bytes, the unit of requests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SECTOR_SIZE UINT64_C(512) /* bytes */

struct sector_set {
	uint64_t *words; /* sector s is bit s % 64 of word s / 64 */
	size_t n_words;
	uint64_t n_sectors; /* whole ones; an incomplete last sector is never in the set */
};

/* An empty set of the sectors of a disk of that many bytes. Returns 0 or -ENOMEM. */
int sector_set_init(struct sector_set *set, uint64_t disk_size);
void sector_set_release(struct sector_set *set);

/* Adds the sectors that lie wholly in these bytes of the disk. Returns the bytes of those that it had already. */
uint64_t sector_set_add(struct sector_set *set, uint64_t offset, uint64_t bytes);

/* Removes every sector that overlaps these bytes of the disk. */
void sector_set_remove(struct sector_set *set, uint64_t offset, uint64_t bytes);

void sector_set_clear(struct sector_set *set);
