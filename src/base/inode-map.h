/* SPDX-License-Identifier: MIT */
/* Maps (device, inode) to the index of a file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define INODE_MAP_NONE SIZE_MAX

struct inode_slot {
	uint64_t inode;
	uint32_t device;
	size_t index; /* INODE_MAP_NONE: the slot is free */
};

struct inode_map {
	struct inode_slot *slots; /* owned */
	size_t n_slots;           /* a power of two, or 0 */
	size_t count;
};

/* The index, or INODE_MAP_NONE. */
size_t inode_map_find(const struct inode_map *map, uint32_t device, uint64_t inode);

/* Adds the pair unless the map has it. Returns 0 or -ENOMEM. */
int inode_map_add(struct inode_map *map, uint32_t device, uint64_t inode, size_t index);
void inode_map_release(struct inode_map *map);

static inline void inode_map_releasep(struct inode_map *map)
{
	inode_map_release(map);
}
