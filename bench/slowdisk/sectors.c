/* SPDX-License-Identifier: MIT */
/* Sets of sectors as bitmaps: 256 KiB for each GiB of disk. */
#include "sectors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

int sector_set_init(struct sector_set *set, uint64_t disk_size)
{
	uint64_t n_sectors = disk_size / SECTOR_SIZE;
	size_t n_words = (size_t)(n_sectors / WORD_BITS + 1);
	uint64_t *words = calloc(n_words, sizeof(*words));

	if (!words)
		return -ENOMEM;
	*set = (struct sector_set){.words = words, .n_words = n_words, .n_sectors = n_sectors};
	return 0;
}

void sector_set_release(struct sector_set *set)
{
	free(set->words);
	*set = (struct sector_set){0};
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The sector that begins at byte `offset` or after it. */
static uint64_t sector_from(uint64_t offset)
{
	return offset / SECTOR_SIZE + (offset % SECTOR_SIZE != 0);
}

static uint64_t bit_of(uint64_t sector)
{
	return UINT64_C(1) << sector % WORD_BITS;
}

uint64_t sector_set_add(struct sector_set *set, uint64_t offset, uint64_t bytes)
{
	uint64_t end = smaller((offset + bytes) / SECTOR_SIZE, set->n_sectors);
	uint64_t known = 0;

	for (uint64_t sector = sector_from(offset); sector < end; sector++) {
		uint64_t *word = &set->words[sector / WORD_BITS];

		known += (*word & bit_of(sector)) != 0;
		*word |= bit_of(sector);
	}
	return known * SECTOR_SIZE;
}

void sector_set_remove(struct sector_set *set, uint64_t offset, uint64_t bytes)
{
	uint64_t end = smaller(sector_from(offset + bytes), set->n_sectors);

	for (uint64_t sector = offset / SECTOR_SIZE; sector < end; sector++)
		set->words[sector / WORD_BITS] &= ~bit_of(sector);
}

void sector_set_clear(struct sector_set *set)
{
	memset(set->words, 0, set->n_words * sizeof(*set->words));
}
