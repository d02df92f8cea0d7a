/* SPDX-License-Identifier: MIT */
/* An open-addressing hash table that only grows, at most half full. */
#include "base/inode-map.h"

#include <errno.h>
#include <stdlib.h>

#include "base/checksum.h"

/* The slot that holds the key, or the free one where it belongs. */
static struct inode_slot *slot_of(struct inode_slot *slots, size_t n_slots, uint32_t device, uint64_t inode)
{
	/* Who serves a file system chooses its inodes; who writes a file, the numbers in it. */
	const uint64_t key[2] = {device, inode};

	for (size_t i = hash64(key, sizeof(key)) & (n_slots - 1);; i = (i + 1) & (n_slots - 1))
		if (slots[i].index == INODE_MAP_NONE ||
			(slots[i].inode == inode && slots[i].device == device))
			return &slots[i];
}

size_t inode_map_find(const struct inode_map *map, uint32_t device, uint64_t inode)
{
	return map->count ? slot_of(map->slots, map->n_slots, device, inode)->index : INODE_MAP_NONE;
}

static int grow(struct inode_map *map)
{
	size_t n_slots = map->n_slots ? map->n_slots * 2 : 256;
	struct inode_slot *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < n_slots; i++)
		slots[i].index = INODE_MAP_NONE;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].index != INODE_MAP_NONE)
			*slot_of(slots, n_slots, map->slots[i].device, map->slots[i].inode) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->n_slots = n_slots;
	return 0;
}

int inode_map_add(struct inode_map *map, uint32_t device, uint64_t inode, size_t index)
{
	struct inode_slot *slot;

	if (map->count * 2 >= map->n_slots) {
		int r = grow(map);

		if (r < 0)
			return r;
	}
	slot = slot_of(map->slots, map->n_slots, device, inode);
	if (slot->index != INODE_MAP_NONE)
		return 0;
	*slot = (struct inode_slot){.inode = inode, .device = device, .index = index};
	map->count++;
	return 0;
}

void inode_map_release(struct inode_map *map)
{
	free(map->slots);
	*map = (struct inode_map){0};
}
