/* SPDX-License-Identifier: MIT */
/* Looks at each event whose file has no name. */
#include "record/names/unnamed.h"

#include "base/cleanup.h"

static bool is_only_in_a_view(const struct opens *opens, uint32_t device)
{
	if (mounts_has_device(opens->mounts, device))
		return false;
	for (size_t i = 0; i < opens->views.count; i++)
		if (mounts_has_device(&opens->views.items[i].mounts, device))
			return true;
	return false;
}

/* Whether the pair, or that inode on any device (overlayfs), is in the map. */
static bool has(const struct inode_map *map, uint32_t device, uint64_t inode)
{
	return inode_map_find(map, device, inode) != INODE_MAP_NONE ||
		inode_map_find(map, 0, inode) != INODE_MAP_NONE;
}

int unnamed_count(const struct opens *opens, const struct record_trace *trace, size_t *ret)
{
	_cleanup_(inode_map_releasep) struct inode_map named = {0}, counted = {0};
	int r = 0;

	for (size_t i = 0; r == 0 && i < opens->files.count; i++)
		if (opens->files.items[i].inode)
			r = inode_map_add(
				&named, opens->files.items[i].device, opens->files.items[i].inode, i);
	for (size_t i = 0; r == 0 && i < trace->n_events; i++) {
		const struct record_event *event = &trace->events[i];

		if (event->kind != RECORD_TOUCH || has(&named, event->device, event->inode))
			continue;
		if (has(&opens->unnamed, event->device, event->inode) ||
			is_only_in_a_view(opens, event->device))
			r = inode_map_add(&counted, event->device, event->inode, 0);
	}
	if (r == 0)
		*ret = counted.count;
	return r;
}
