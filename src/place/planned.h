/* SPDX-License-Identifier: MIT */
/*
 * Which plans name what was placed. A plan reads in the order of the disk, and over gaps that lie between what it reads. Other
 * programs than those that are placed use the same libraries, so their plans have to follow as well.
 */
#pragma once

#include "place/record.h"

struct place_programs {
	char **items; /* owned: canonical paths, each once */
	size_t n, capacity;
};

void place_programs_release(struct place_programs *programs);

static inline void place_programs_releasep(struct place_programs *programs)
{
	place_programs_release(programs);
}

/*
 * Adds the programs of those plans in the folder that name a file of the record. Signs of plans, damaged plans and snapshots are
 * passed over. Returns 0 or negative errno.
 */
int place_find_planned(const char *folder, const struct place_record *record, struct place_programs *ret);
